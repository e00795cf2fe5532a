import type { Readable } from 'node:stream';

/** The part of a terminal's or pipe's stream that the command uses. */
export interface OutputStream {
  /** False if the stream asks for patience until `drain`. */
  write(data: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  /** Width of the terminal; undefined on a pipe. */
  readonly columns?: number;
  readonly rows?: number;
  on(event: 'resize' | 'error' | 'drain', listener: () => void): unknown;
  off(event: 'resize' | 'error' | 'drain', listener: () => void): unknown;
}

/** What the command reads: a terminal can be had key by key. */
export type InputStream = Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };

/** The world outside a command: streams, environment, signals. Tests pass their own. */
export interface Console {
  /** Not touched before a command wants input. */
  readonly stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  env: NodeJS.ProcessEnv;
  /** Whether the process may do everything. */
  isRoot: boolean;
  /** Listens for SIGINT, SIGTERM and SIGHUP, and for the reader of stdout going away; returns how to stop listening. */
  onEnd(listener: (why: EndReason) => void): () => void;
}

/** Why the command is told to end. */
export type EndReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'output closed';

export const systemConsole: Console = {
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  isRoot: process.getuid?.() === 0,
  onEnd(listener) {
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
};

/** Colours only on a terminal, and only where nobody asked to have none. */
export function wantsColours(stream: OutputStream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
