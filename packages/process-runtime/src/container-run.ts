import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { type Clock, errorMessage, type Logger, settlesWithin } from '@nodeagent/api';
import { createLineSplitter, formatLogPieces, type LogPiece } from './cri-log.js';
import { unknownError } from './errors.js';
import { type LaunchSpec, launch } from './launch.js';
import { type LogWriter, openLog } from './log-writer.js';
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
  const { containerId } = spec;
  const { clock, processes, pipeFolder } = ports;
  const logger = ports.logger.child({ containerID: containerId });
  const log = spec.logPath === '' ? undefined : await openContainerLog(spec.logPath, logger);
  const main = await launch(spec.launch, { pipeFolder, containerId, onStarted: spec.onStarted }).catch(async (error: unknown) => {
    await log?.close();
    throw error;
  });

  /** Known processes of the container outside the main session. */
  const known = new Map<number, ProcessRef>();
  let exited = false;
  let stopping = false;

  const find = async (): Promise<ProcessInfo[]> => {
    const before = [...known.values()];
    const all = await processes.list();
    const alive = stillRunning(before, all);
    for (const each of before) if (!alive.some(({ pid }) => pid === each.pid)) known.delete(each.pid);
    const members = membersOf(new Set([main.pid, ...alive.map(({ session }) => session)]), all);
    for (const member of members) if (member.session !== main.pid) known.set(member.pid, member);
    return members;
  };

  const listeners = new Set<OutputListener>();
  const copy = (from: Socket, stream: 'stdout' | 'stderr') =>
    copyOutput(from, stream, log, clock, (piece) => {
      for (const listener of listeners) listener(stream, piece);
    });
  const output = Promise.all([copy(main.stdout, 'stdout'), copy(main.stderr, spec.tty ? 'stdout' : 'stderr')]);

  const end = async () => {
    const exitCode = await main.exited;
    exited = true;
    sendSignal(-main.pid, constants.signals.SIGKILL);
    const finishedAt = ports.stamp();
    try {
      if (!(await killRest(find, clock))) logger.warn(`processes of the container still run ${killWaitMs / 1000} s after SIGKILL`);
      await drain();
      await log?.close();
    } catch (error) {
      logger.warn({ err: error }, 'cannot clean up after the container');
    }
    return { exitCode, finishedAt };
  };

  /** Waits for the end of the output, and kills processes outside the known sessions that hold it open. */
  const drain = async () => {
    for (let waited = 0; waited < killWaitMs; waited += drainStepMs) {
      if (await settlesWithin(output, { clock, timeoutMs: drainStepMs })) return;
      for (const pid of (await processes.pipeHolders()).pids.get(containerId) ?? []) sendSignal(pid, constants.signals.SIGKILL);
    }
    logger.warn('a process that cannot be killed holds the output open; its further output is lost');
    main.release();
    await output;
  };

  const ended = end();

  return {
    ended,
    async stop(timeoutMs, signal) {
      if (timeoutMs > 0) {
        if (!stopping) {
          stopping = true;
          await find();
          if (!exited) sendSignal(-main.pid, spec.stopSignal);
        }
        if (await settlesWithin(ended, { clock, timeoutMs, signal })) return;
      }
      await find();
      if (!exited) sendSignal(-main.pid, constants.signals.SIGKILL);
      if (await settlesWithin(ended, { clock, timeoutMs: killWaitMs, signal })) return;
      throw unknownError(`container ${containerId}: process ${main.pid} still runs ${killWaitMs / 1000} s after SIGKILL`);
    },
    async reopenLog() {
      await log?.reopen();
    },
    ...(main.stdin && { stdin: main.stdin }),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    adopt(process) {
      known.set(process.pid, process);
      // Its start was in progress when the main process exited.
      if (exited) sendSignal(-process.pid, constants.signals.SIGKILL);
    },
    async exitedExec({ pid }) {
      if (sendSignal(-pid, 0)) for (const member of membersOf(new Set([pid]), await processes.list())) known.set(member.pid, member);
      known.delete(pid);
    },
    members: find,
    release() {
      main.release();
      void output.then(() => log?.close());
    },
  };
}

/** Kills the remaining processes; resolves with whether all have exited. Repeats, because a process can fork before SIGKILL takes effect. */
async function killRest(find: () => Promise<ProcessInfo[]>, clock: Clock): Promise<boolean> {
  for (let waited = 0; waited < killWaitMs; waited += killStepMs) {
    const left = await find();
    if (left.length === 0) return true;
    for (const { pid } of left) sendSignal(pid, constants.signals.SIGKILL);
    await clock.sleep(killStepMs);
  }
  return false;
}

async function openContainerLog(path: string, logger: Logger): Promise<LogWriter> {
  try {
    return await openLog(path, (error) => logger.warn({ path, err: error }, 'cannot write the container log'));
  } catch (error) {
    throw unknownError(`opening the container log "${path}": ${errorMessage(error)}`, error);
  }
}

/** Reads more only after the previous output is in the file: the pipe fills up and the container blocks, as on a slow terminal. */
async function copyOutput(
  from: Socket,
  stream: 'stdout' | 'stderr',
  log: LogWriter | undefined,
  clock: Clock,
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  const splitter = createLineSplitter();
  const write = async (pieces: LogPiece[]) => {
    if (pieces.length > 0) await log?.write(formatLogPieces(pieces, stream, clock.now()));
  };
  try {
    for await (const chunk of from) {
      onPiece(chunk);
      await write(splitter.push(chunk));
    }
  } catch {
    // The pipe was closed by release or drain: keep the output received until then.
  }
  await write(splitter.end());
}
