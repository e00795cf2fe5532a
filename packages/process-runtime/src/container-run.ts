import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { type Clock, type Logger, settlesWithin } from '@nodeagent/api';
import { copyOutput, openContainerLog } from './container-output.js';
import { unknownError } from './errors.js';
import { type Launched, type LaunchSpec, launch } from './launch.js';
import type { LogWriter } from './log-writer.js';
import type { ProcessTable } from './process-table.js';
import { membersOf, type ProcessInfo, type ProcessRef, sendSignal, stillRunning } from './processes.js';

const drainStepMs = 100;
/** How long to wait for processes to exit after SIGKILL before that counts as failed. */
const killWaitMs = 10_000;
const killStepMs = 10;

/** Ports of a container run. */
export interface RunPorts {
  clock: Clock;
  logger: Logger;
  processes: ProcessTable;
  pipeFolder: string;
  /** A timestamp in nanoseconds, later than all previous ones. */
  stamp(): bigint;
}

export interface RunSpec {
  containerId: string;
  launch: LaunchSpec;
  /** Empty for a container without a log. */
  logPath: string;
  /** Whether standard error is merged into standard output. */
  tty: boolean;
  stopSignal: number;
  onStarted(process: ProcessRef): void;
}

/** Receives a chunk of a container's output. */
type OutputListener = (stream: 'stdout' | 'stderr', piece: Buffer) => void;

/** A running container: its processes, from their start until all have exited. */
export interface ContainerRun {
  /** Resolves when all processes of the container have exited and the log is complete. Never rejects. */
  ended: Promise<{ exitCode: number; finishedAt: bigint }>;
  /**
   * Sends the stop signal to the process group, and SIGKILL after `timeoutMs`, or at once if that is not positive. Repeated calls do not send
   * the stop signal again. Resolves when the run has ended.
   */
  stop(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  reopenLog(): Promise<void>;
  /** Standard input of the main process, if the container has one. */
  stdin?: Writable;
  /** Adds a listener for the output from now on, called before the output is written to the log. Returns a function that removes it. */
  listen(listener: OutputListener): () => void;
  /** Adds the process of an exec to the container, to kill it with the container. */
  adopt(process: ProcessRef): void;
  /** Call it when the process of an exec has exited. The remaining processes of its session stay part of the container. */
  exitedExec(process: ProcessRef): Promise<void>;
  /** All running processes of the container. */
  members(): Promise<ProcessInfo[]>;
  /** Detaches from the processes without killing them. Their further output is lost. */
  release(): void;
}

/** Starts a container. Rejects if its log cannot be opened or its process cannot be started. */
export async function runContainer(spec: RunSpec, ports: RunPorts): Promise<ContainerRun> {
  const { containerId, logPath, onStarted } = spec;
  const logger = ports.logger.child({ containerID: containerId });
  const log = logPath === '' ? undefined : await openContainerLog(logPath, logger);
  try {
    const main = await launch(spec.launch, { pipeFolder: ports.pipeFolder, containerId, onStarted });
    return new Run(spec, { ...ports, logger }, main, log);
  } catch (error) {
    await log?.close();
    throw error;
  }
}

class Run implements ContainerRun {
  readonly ended: Promise<{ exitCode: number; finishedAt: bigint }>;
  readonly stdin?: Writable;
  readonly #spec: RunSpec;
  readonly #ports: RunPorts;
  readonly #main: Launched;
  readonly #log: LogWriter | undefined;
  readonly #listeners = new Set<OutputListener>();
  /** Resolves when the output has ended. */
  readonly #output: Promise<unknown>;
  /** Known processes of the container outside the main session. */
  readonly #known = new Map<number, ProcessRef>();
  #hasExited = false;
  #isStopping = false;

  constructor(spec: RunSpec, ports: RunPorts, main: Launched, log: LogWriter | undefined) {
    this.#spec = spec;
    this.#ports = ports;
    this.#main = main;
    this.#log = log;
    if (main.stdin) this.stdin = main.stdin;
    this.#output = Promise.all([this.#copy(main.stdout, 'stdout'), this.#copy(main.stderr, spec.tty ? 'stdout' : 'stderr')]);
    this.ended = this.#end();
  }

  async stop(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    if (timeoutMs > 0) {
      if (!this.#isStopping) {
        this.#isStopping = true;
        await this.members();
        if (!this.#hasExited) sendSignal(-this.#main.pid, this.#spec.stopSignal);
      }
      if (await settlesWithin(this.ended, { clock, timeoutMs, signal })) return;
    }
    await this.members();
    if (!this.#hasExited) sendSignal(-this.#main.pid, constants.signals.SIGKILL);
    if (await settlesWithin(this.ended, { clock, timeoutMs: killWaitMs, signal })) return;
    throw unknownError(`container ${this.#spec.containerId}: process ${this.#main.pid} still runs ${killWaitMs / 1000} s after SIGKILL`);
  }

  async reopenLog(): Promise<void> {
    await this.#log?.reopen();
  }

  listen(listener: OutputListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A property, because `launch` gets it as its callback. */
  readonly adopt = (process: ProcessRef): void => {
    this.#known.set(process.pid, process);
    // Its start was in progress when the main process exited.
    if (this.#hasExited) sendSignal(-process.pid, constants.signals.SIGKILL);
  };

  async exitedExec({ pid }: ProcessRef): Promise<void> {
    if (sendSignal(-pid, 0)) {
      for (const member of membersOf(new Set([pid]), await this.#ports.processes.list())) this.#known.set(member.pid, member);
    }
    this.#known.delete(pid);
  }

  async members(): Promise<ProcessInfo[]> {
    const before = [...this.#known.values()];
    const all = await this.#ports.processes.list();
    const alive = stillRunning(before, all);
    for (const each of before) if (!alive.some(({ pid }) => pid === each.pid)) this.#known.delete(each.pid);
    const members = membersOf(new Set([this.#main.pid, ...alive.map(({ session }) => session)]), all);
    for (const member of members) if (member.session !== this.#main.pid) this.#known.set(member.pid, member);
    return members;
  }

  release(): void {
    this.#main.release();
    void this.#output.then(() => this.#log?.close());
  }

  #copy(from: Socket, stream: 'stdout' | 'stderr'): Promise<void> {
    return copyOutput(from, stream, this.#log, this.#ports.clock, (piece) => {
      for (const listener of this.#listeners) listener(stream, piece);
    });
  }

  /** Waits for the main process, then kills the others and completes the log. */
  async #end(): Promise<{ exitCode: number; finishedAt: bigint }> {
    const { logger, stamp } = this.#ports;
    const exitCode = await this.#main.exited;
    this.#hasExited = true;
    sendSignal(-this.#main.pid, constants.signals.SIGKILL);
    const finishedAt = stamp();
    try {
      if (!(await this.#killRest())) logger.warn(`processes of the container still run ${killWaitMs / 1000} s after SIGKILL`);
      await this.#drain();
      await this.#log?.close();
    } catch (error) {
      logger.warn({ err: error }, 'cannot clean up after the container');
    }
    return { exitCode, finishedAt };
  }

  /** Kills the remaining processes; resolves with whether all have exited. Repeats, because a process can fork before SIGKILL takes effect. */
  async #killRest(): Promise<boolean> {
    for (let waited = 0; waited < killWaitMs; waited += killStepMs) {
      const left = await this.members();
      if (left.length === 0) return true;
      for (const { pid } of left) sendSignal(pid, constants.signals.SIGKILL);
      await this.#ports.clock.sleep(killStepMs);
    }
    return false;
  }

  /** Waits for the end of the output, and kills processes outside the known sessions that hold it open. */
  async #drain(): Promise<void> {
    const { clock, logger, processes } = this.#ports;
    for (let waited = 0; waited < killWaitMs; waited += drainStepMs) {
      if (await settlesWithin(this.#output, { clock, timeoutMs: drainStepMs })) return;
      for (const pid of (await processes.pipeHolders()).pids.get(this.#spec.containerId) ?? []) sendSignal(pid, constants.signals.SIGKILL);
    }
    logger.warn('a process that cannot be killed holds the output open; its further output is lost');
    this.#main.release();
    await this.#output;
  }
}
