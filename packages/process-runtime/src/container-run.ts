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
/** How long processes get to disappear after SIGKILL before that counts as failed. */
const killWaitMs = 10_000;
const killStepMs = 10;

/** What a run needs of the runtime around it. */
export interface RunPorts {
  clock: Clock;
  logger: Logger;
  processes: ProcessTable;
  pipeFolder: string;
  /** A time in nanoseconds, later than every other one given. */
  stamp(): bigint;
}

export interface RunSpec {
  containerId: string;
  launch: LaunchSpec;
  /** Empty for a container without a log. */
  logPath: string;
  /** Standard error goes where standard output goes. */
  tty: boolean;
  stopSignal: number;
  onStarted(process: ProcessRef): void;
}

/** Takes a piece of a container's output. */
type OutputListener = (stream: 'stdout' | 'stderr', piece: Buffer) => void;

/** A container's processes, from their start until nothing of them is left. */
export interface ContainerRun {
  /** Resolves once the process and whatever it left behind are gone and the log is complete. Never rejects. */
  ended: Promise<{ exitCode: number; finishedAt: bigint }>;
  /**
   * Sends the stop signal to the process group, once however often it is called, and SIGKILL after `timeoutMs`; at once if that is not
   * positive. Resolves when the run has ended.
   */
  stop(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  reopenLog(): Promise<void>;
  /** What the main process reads, if the container has an input. */
  stdin?: Writable;
  /** Gives the output from here on to a listener too, before it is in the log; call what it returns to end that. */
  listen(listener: OutputListener): () => void;
  /** Takes in a process that entered from outside, an exec, to end it with the container. */
  adopt(process: ProcessRef): void;
  /** An adopted process has exited; what it left in its session stays part of the container. */
  exitedExec(process: ProcessRef): Promise<void>;
  /** All that runs in the container now. */
  members(): Promise<ProcessInfo[]>;
  /** Lets go of the processes without ending them. Their output is lost from here on. */
  release(): void;
}

/** Starts a container. Rejects if its log cannot be opened or its process not started. */
export async function runContainer(spec: RunSpec, ports: RunPorts): Promise<ContainerRun> {
  const { containerId } = spec;
  const { clock, processes, pipeFolder } = ports;
  const logger = ports.logger.child({ containerID: containerId });
  const log = spec.logPath === '' ? undefined : await openContainerLog(spec.logPath, logger);
  const main = await launch(spec.launch, { pipeFolder, containerId, onStarted: spec.onStarted }).catch(async (error: unknown) => {
    await log?.close();
    throw error;
  });

  /** Processes outside the main session that were seen in the container. */
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
      logger.warn({ err: error }, 'cleaning up after the container failed');
    }
    return { exitCode, finishedAt };
  };

  /** Waits for the output's end, and ends those who hold it open from outside the sessions that are known. */
  const drain = async () => {
    for (let waited = 0; waited < killWaitMs; waited += drainStepMs) {
      if (await settlesWithin(output, { clock, timeoutMs: drainStepMs })) return;
      for (const pid of (await processes.pipeHolders()).pids.get(containerId) ?? []) sendSignal(pid, constants.signals.SIGKILL);
    }
    logger.warn('the output is held open by a process that cannot be ended; the rest of it is lost');
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
    adopt: (process) => void known.set(process.pid, process),
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

/** Ends what the main process has left, and tells whether all is gone: a process runs on for a moment after SIGKILL, and may make others. */
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
    return await openLog(path, (error) => logger.warn({ path, err: error }, 'the container log cannot be written'));
  } catch (error) {
    throw unknownError(`opening the container log "${path}": ${errorMessage(error)}`, error);
  }
}

/** Reads on only when what was read is in the file: the pipe fills up and the container waits, as it does on a slow terminal. */
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
    // The pipe was closed under us, by release or drain: what came until then counts.
  }
  await write(splitter.end());
}
