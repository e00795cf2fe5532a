import type { Readable, Writable } from 'node:stream';

/** Which streams an exec or attach has. A terminal has no standard error of its own. */
export interface WantedStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/** The size of a terminal in characters, as it travels: JSON with these names. */
export interface TerminalSize {
  Width: number;
  Height: number;
}

/** The server's side of an exec or attach: what the client gives, and what it is given. */
export interface RemoteCommand {
  /** Ends when the client has no more input. Present if wanted, as are the others. */
  stdin?: Readable;
  stdout?: Writable;
  stderr?: Writable;
  /** Calls for each size of the client's terminal, the one that came before the call too. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Aborts when the client has gone. */
  signal: AbortSignal;
  /**
   * Tells the client how the command ended, JSON of a `v1.Status`, and ends the connection. What was written to the streams before comes
   * before. Resolves when all of it has left, or the client has gone. Never rejects.
   */
  finish(status: Uint8Array | string): Promise<void>;
}

/** Reads a terminal size; undefined for what is none. */
function parseTerminalSize(text: string): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(text) as Partial<TerminalSize>;
    const good = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0 && (value as number) <= 0xffff;
    return good(Width) && good(Height) ? { Width, Height } : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the newest terminal size for listeners that come later. */
export function createResizes(): { on(listener: (size: TerminalSize) => void): void; take(text: string): void } {
  let newest: TerminalSize | undefined;
  const listeners: ((size: TerminalSize) => void)[] = [];
  return {
    on(listener) {
      listeners.push(listener);
      if (newest) listener(newest);
    },
    take(text) {
      const size = parseTerminalSize(text);
      if (size === undefined) return;
      newest = size;
      for (const listener of listeners) listener(size);
    },
  };
}
