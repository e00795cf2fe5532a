import type { Clock } from '@nodeagent/api';
import type { ContainerEventType } from '@nodeagent/cri-api';
import type { ScriptedLogLine } from './behaviour.js';
import type { CallContext } from './calls.js';
import { criError } from './errors.js';
import { textOf } from './files/memory-file-system.js';
import type { FileSink } from './options.js';
import type { CommandResult, ProgramProcess } from './program/process.js';
import type { ImageProgram } from './program/program.js';
import { type ProgramNode, startProgram } from './program/start-program.js';
import type { ContainerRecord } from './records.js';
import { logPathOf, stopSignalOf, terminationLogOf } from './views.js';

/** The exit of a container. */
export interface ContainerExit {
  code: number;
  /** Default `Completed` for code 0, else `Error`. */
  reason?: string | undefined;
  message?: string | undefined;
}

interface ContainerRunnerOptions {
  node: ProgramNode & { files: FileSink };
  stamp: () => bigint;
  onEvent: (type: ContainerEventType, container: ContainerRecord) => void;
}

const sigkill = { code: 137 };
const killedCommand: CommandResult = { exitCode: 137, stdout: '', stderr: '' };

/** Runs containers by their behaviour, from start to exit. Independent of calls and listings. */
export class ContainerRunner {
  readonly #node: ProgramNode;
  readonly #clock: Clock;
  readonly #stamp: () => bigint;
  readonly #files: FileSink;
  readonly #onEvent: ContainerRunnerOptions['onEvent'];

  constructor({ node, stamp, onEvent }: ContainerRunnerOptions) {
    this.#node = node;
    this.#clock = node.clock;
    this.#stamp = stamp;
    this.#files = node.files;
    this.#onEvent = onEvent;
  }

  /** Starts a created container; rejects if the script has a `startError`. */
  async start(container: ContainerRecord, context: CallContext): Promise<void> {
    if (container.state !== 'CONTAINER_CREATED' || container.starting) {
      throw criError('CRI_FAILED_PRECONDITION', `failed to start container "${container.id}": container is in ${container.state} state`);
    }
    const { startMs = 0, startError } = container.behaviour;
    const log = logPathOf(container);
    // The log exists from the start, empty: a kubelet counts restarts by log files if the runtime has no containers.
    if (log) this.#files.append(log, '');
    container.starting = true;
    try {
      if (startMs > 0) await context.wait((signal) => this.#clock.sleep(startMs, signal));
    } finally {
      container.starting = false;
    }
    if (startError !== undefined) {
      this.end(container, { code: 128, reason: 'StartError', message: startError });
      throw criError('CRI_UNKNOWN', startError);
    }
    this.#run(container);
  }

  /** SIGTERM, and SIGKILL after the grace period; resolves when the container has exited. After an abort SIGKILL is not sent. */
  async stop(container: ContainerRecord, graceMs: number, context: CallContext): Promise<void> {
    if (container.state !== 'CONTAINER_RUNNING') return;
    if (graceMs > 0) {
      this.#terminate(container);
      await context.wait((signal) => this.#ended(container, graceMs, signal));
    }
    this.end(container, sigkill);
  }

  kill(container: ContainerRecord): void {
    this.end(container, sigkill);
  }

  /** Does nothing if the container has exited. */
  end(container: ContainerRecord, { code, reason, message = '' }: ContainerExit): void {
    if (container.state === 'CONTAINER_EXITED') return;
    container.state = 'CONTAINER_EXITED';
    container.finishedAt = this.#stamp();
    container.exitCode = code;
    container.reason = reason ?? (code === 0 ? 'Completed' : 'Error');
    container.message = message;
    container.listed = undefined;
    for (const timer of container.timers) timer.cancel();
    container.timers.clear();
    container.process?.end();
    container.process = undefined;
    this.#writeTerminationMessage(container);
    const waiters = [...container.waiters];
    container.waiters.clear();
    for (const waiter of waiters) waiter();
    this.#onEvent('CONTAINER_STOPPED_EVENT', container);
  }

  /** Runs a command until it ends, the container exits (137) or the timeout passes (CRI_DEADLINE_EXCEEDED). 0 means no timeout. */
  async exec(container: ContainerRecord, command: string[], timeoutMs: number, context: CallContext): Promise<CommandResult> {
    if (container.state !== 'CONTAINER_RUNNING') {
      throw criError('CRI_UNKNOWN', `failed to exec in container "${container.id}": container is in ${container.state} state`);
    }
    if (container.process) return this.#execInProgram(container, container.process, command, timeoutMs, context);
    const scripted = container.behaviour.exec ?? {};
    const { exitCode = 0, stdout = '', stderr = '', afterMs = 0 } = typeof scripted === 'function' ? scripted(command) : scripted;
    const limit = timeoutMs > 0 ? timeoutMs : Number.POSITIVE_INFINITY;
    const waitMs = Math.min(afterMs, limit);
    if (waitMs > 0) {
      const outcome = await context.wait((signal) => this.#ended(container, waitMs, signal));
      if (outcome === 'ended') return killedCommand;
      if (afterMs > limit) throw execTimeout(timeoutMs);
    }
    return { exitCode, stdout, stderr };
  }

  async #execInProgram(
    container: ContainerRecord,
    process: ProgramProcess,
    command: string[],
    timeoutMs: number,
    context: CallContext,
  ): Promise<CommandResult> {
    const result = process.exec(command);
    if (result === undefined) {
      const what = `exec: ${JSON.stringify(command[0] ?? '')}: executable file not found in $PATH`;
      throw criError('CRI_UNKNOWN', `failed to exec in container: OCI runtime exec failed: unable to start container process: ${what}`);
    }
    const limit = timeoutMs > 0 ? timeoutMs : Number.POSITIVE_INFINITY;
    const outcome = await context.wait((signal) => this.#ended(container, limit, signal, result));
    if (outcome === 'ended') return killedCommand;
    if (outcome === 'timeout') throw execTimeout(timeoutMs);
    return result;
  }

  #run(container: ContainerRecord): void {
    const { exit, logs = [] } = container.behaviour;
    container.state = 'CONTAINER_RUNNING';
    container.startedAt = this.#stamp();
    container.startedMs = this.#clock.now();
    container.listed = undefined;
    for (const entry of logs) {
      const line = typeof entry === 'string' ? { text: entry } : entry;
      if (line.afterMs) this.#later(container, line.afterMs, () => this.#write(container, line));
      else this.#write(container, line);
    }
    if (exit) {
      const { afterMs = 0, code = 0, reason, message } = exit;
      this.#later(container, afterMs, () => this.end(container, { code, reason, message }));
    }
    this.#onEvent('CONTAINER_STARTED_EVENT', container);
    if (container.program) container.process = this.#startProgram(container, container.program);
  }

  #startProgram(container: ContainerRecord, program: ImageProgram): ProgramProcess {
    return startProgram(this.#node, container, program, {
      write: (stream, text) => this.#write(container, { stream, text }),
      exit: (code) => this.end(container, { code }),
      onUsage: ({ memoryBytes = 0 }) => {
        const limit = container.resources?.memoryLimitInBytes ?? 0n;
        if (limit > 0n && memoryBytes > limit) this.end(container, { ...sigkill, reason: 'OOMKilled' });
      },
    });
  }

  #terminate(container: ContainerRecord): void {
    if (container.stopping) return;
    container.stopping = true;
    container.process?.deliver(stopSignalOf(container));
    const { onStop = container.program ? 'ignore' : {} } = container.behaviour;
    if (onStop === 'ignore') return;
    const { afterMs = 0, code = 143 } = onStop;
    if (afterMs > 0) this.#later(container, afterMs, () => this.end(container, { code }));
    else this.end(container, { code });
  }

  #later(container: ContainerRecord, ms: number, what: () => void): void {
    const timer = this.#clock.setTimeout(() => {
      container.timers.delete(timer);
      what();
    }, ms);
    container.timers.add(timer);
  }

  /** Waits for the exit of the container or for the result, at most `ms` milliseconds. */
  #ended(container: ContainerRecord, ms: number, signal: AbortSignal, result?: Promise<unknown>): Promise<'ended' | 'timeout' | 'done'> {
    return new Promise((resolve, reject) => {
      if (container.state === 'CONTAINER_EXITED') return resolve('ended');
      const cleanUp = () => {
        timer?.cancel();
        container.waiters.delete(onEnd);
        signal.removeEventListener('abort', onAbort);
      };
      const onEnd = () => {
        cleanUp();
        resolve('ended');
      };
      const onTimeout = () => {
        cleanUp();
        resolve('timeout');
      };
      const onAbort = () => {
        cleanUp();
        reject(signal.reason);
      };
      const timer = Number.isFinite(ms) ? this.#clock.setTimeout(onTimeout, ms) : undefined;
      container.waiters.add(onEnd);
      const onDone = () => {
        cleanUp();
        resolve('done');
      };
      result?.then(onDone, onDone);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #write(container: ContainerRecord, { text, stream = 'stdout' }: ScriptedLogLine): void {
    const at = this.#clock.now();
    container.logs.push({ at, stream, text });
    const path = logPathOf(container);
    if (path) this.#files.append(path, `${new Date(at).toISOString()} ${stream} F ${text}\n`);
  }

  /** A program writes its message itself, into the node's file system; `files` gets it too if it is another one. */
  #writeTerminationMessage(container: ContainerRecord): void {
    const path = terminationLogOf(container);
    if (path === undefined) return;
    const message = container.program ? this.#writtenMessage(path) : container.behaviour.terminationMessage;
    if (message !== undefined) this.#files.append(path, message);
  }

  #writtenMessage(path: string): string | undefined {
    const { fileSystem } = this.#node;
    const file = this.#files === fileSystem ? undefined : fileSystem.find(path);
    return file?.kind === 'file' ? textOf(file) : undefined;
  }
}

function execTimeout(timeoutMs: number): Error {
  return criError(
    'CRI_DEADLINE_EXCEEDED',
    `failed to exec in container: timeout ${timeoutMs / 1_000}s exceeded: context deadline exceeded`,
  );
}
