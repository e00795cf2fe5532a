import type { Timer } from '@nodeagent/api';
import type { ContainerUsage } from '../behaviour.js';
import type { ProgramFiles } from '../files/program-files.js';
import type { ImageBehaviour } from '../image-behaviour.js';
import type { FetchOptions, FetchResponse, ListenHandler, ListeningServer } from './http.js';

/**
 * A program: what the containers of an image run. It returns the exit code, by default 0. An uncaught error ends it with code 1 and the stack
 * in its log, `signal.reason` with 128 plus the signal's number. All waits of a program must come from its context.
 */
export type Program = (context: ProgramContext) => ExitValue | Promise<ExitValue>;

// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return value is a program, too.
export type ExitValue = number | undefined | void;

/** A command that `exec` runs in the container: exec probes, hooks and `kubectl exec`. Returns the exit code, by default 0. */
export type ExecHandler = (command: ExecCommand) => ExitValue | Promise<ExitValue>;

export interface ExecCommand {
  argv: readonly string[];
  /** Adds the text to the command's output, as it is. */
  stdout(text: string): void;
  stderr(text: string): void;
}

/** What a program gets. When the container has exited, nothing of it has an effect and no promise of it settles. */
export interface ProgramContext {
  /** The command and its arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly cwd: string;
  readonly hostname: string;
  /** The pod's IP addresses. */
  readonly addresses: readonly string[];
  readonly files: ProgramFiles;
  /**
   * Aborted by the stop signal, usually SIGTERM; its reason is a {@link ProgramSignal}. As PID 1 of a container a program is not ended by it:
   * one that does not react is killed after the grace period, with exit code 137.
   */
  readonly signal: AbortSignal;
  /** Calls the handler at each signal of this name, such as `SIGHUP`; the stop signal aborts `signal` too. */
  onSignal(name: string, handler: () => void): void;
  /** Writes lines to the container's log. */
  stdout(text: string): void;
  stderr(text: string): void;
  /** Virtual time in milliseconds since 1970. */
  now(): number;
  /** Resolves after virtual milliseconds, never after Infinity; rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after virtual milliseconds. An error of the callback is uncaught. */
  setTimeout(callback: () => void, ms: number): Timer;
  /** A signal that aborts after virtual milliseconds with a `TimeoutError`, as `AbortSignal.timeout` does in real time. */
  timeout(ms: number): AbortSignal;
  /**
   * Listens on a port of the pod: HTTP requests for a function, gRPC health checks for `{ health }`, only connections without a handler. Throws
   * `EADDRINUSE` if a container of the pod listens on it already.
   */
  listen(port: number, handler?: ListenHandler): ListeningServer;
  /** Makes an HTTP request. Rejects as Node's does, with a TypeError whose `cause` has a code such as `ECONNREFUSED`. */
  fetch(url: string | URL, options?: FetchOptions): Promise<FetchResponse>;
  /** Sets the handler of a command by its first word. Built in: cat, echo, false, kill, ls, sleep, test, true. */
  onExec(command: string, handler: ExecHandler): void;
  /** Reports resource usage from now on. More memory than the container's limit ends it with 137, `OOMKilled`. */
  use(usage: ContainerUsage): void;
}

/** The reason of a program's `signal`. */
export class ProgramSignal extends Error {
  /** Such as `SIGTERM`. */
  readonly signal: string;

  constructor(signal: string) {
    super(`received ${signal}`);
    this.name = 'ProgramSignal';
    this.signal = signal;
  }
}

/** A program with the properties of its image. */
export interface ImageProgram {
  program: Program;
  image: ProgramImage;
}

/** Properties of a program's image, as a Dockerfile sets them, and how it is pulled. */
export interface ProgramImage extends ImageBehaviour {
  /** Default `[]`; a container's `command` replaces it. */
  entrypoint?: readonly string[];
  /** Default `[]`; a container's `command` or `args` replaces it. */
  cmd?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Default `/`. */
  workingDir?: string;
  /** Default `SIGTERM`. */
  stopSignal?: string;
}
