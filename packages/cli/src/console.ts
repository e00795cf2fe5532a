import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** The part of an output stream that commands use. */
export interface OutputStream {
  /** False if the caller should wait for `drain`. */
  write(data: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  /** Width of the terminal; undefined on a pipe. */
  readonly columns?: number;
  readonly rows?: number;
  on(event: 'resize' | 'error' | 'drain', listener: () => void): unknown;
  off(event: 'resize' | 'error' | 'drain', listener: () => void): unknown;
}

/** The input stream; a terminal has raw mode. */
export type InputStream = Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };

/** The environment of a command: streams, variables, signals. Tests pass their own. */
export interface Console {
  /** Not read until a command needs input. */
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  env: NodeJS.ProcessEnv;
  /** Flags of V8 that the command has set. Default none. */
  readonly v8Flags?: readonly string[];
  /** Whether the process runs as root. */
  isRoot: boolean;
  /** Listens for SIGINT, SIGTERM and SIGHUP, and for a closed stdout or stderr; returns a function that stops listening. */
  onInterrupt(listener: (why: InterruptReason) => void): () => void;
  /** Listens for the exit of the process, also by an uncaught error; returns a function that stops listening. Default: there is no listener. */
  onExit?(listener: () => void): () => void;
  /** Whether the process may read its terminal: it does not run in the background. Default: it may. */
  isForeground?(): boolean;
}

/** Why the command is interrupted. */
export type InterruptReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'output closed';

export const systemConsole: Console = {
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  isRoot: process.getuid?.() === 0,
  onInterrupt(listener) {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    let closed = false;
    const onClosed = () => {
      if (!closed) listener('output closed');
      closed = true;
    };
    for (const signal of signals) process.on(signal, listener);
    for (const stream of [process.stdout, process.stderr]) stream.on('error', onClosed);
    return () => {
      for (const signal of signals) process.off(signal, listener);
      for (const stream of [process.stdout, process.stderr]) stream.off('error', onClosed);
    };
  },
  onExit(listener) {
    // The monitor runs before Node prints the error, which the listener's output must not hide.
    const events = ['exit', 'uncaughtExceptionMonitor'] as const;
    for (const event of events) process.on(event, listener);
    return () => {
      for (const event of events) process.off(event, listener);
    };
  },
  isForeground: () => isForegroundProcess(readIfThere('/proc/self/stat')),
};

/** {@link systemConsole} with V8 flags. It has the same properties, not their values: reading `stdin` opens it. */
export const consoleWithFlags = (v8Flags: readonly string[]): Console =>
  Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(systemConsole),
    v8Flags: { value: v8Flags, enumerable: true },
  });

/**
 * Whether the process group of a `/proc/PID/stat` is the foreground group of its terminal (proc_pid_stat(5): `pgrp`, `tpgid`); true without the
 * file.
 */
export function isForegroundProcess(stat: string): boolean {
  const [, , group, , , foreground] = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  return group === foreground;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Whether the stream is a terminal on which a text can be redrawn: `TERM=dumb` names one without control sequences. */
export function isRedrawable(stream: OutputStream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Colours are used only on a terminal, and not if NO_COLOR is set. */
export function wantsColours(stream: OutputStream, env: NodeJS.ProcessEnv): boolean {
  return isRedrawable(stream, env) && !env.NO_COLOR;
}
