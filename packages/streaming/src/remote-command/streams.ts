import type { Readable, Writable } from 'node:stream';

/** The streams of an exec or attach. With a terminal there is no separate standard error. */
export interface RemoteCommandStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/** The size of a terminal in characters, with the field names of the protocol's JSON. */
export interface TerminalSize {
  Width: number;
  Height: number;
}

/** The server side of an exec or attach. */
export interface RemoteCommand {
  /** Ends when the client closes its input. Present if requested, as the other streams. */
  stdin?: Readable;
  stdout?: Writable;
  stderr?: Writable;
  /** Calls the listener for each size of the client's terminal, including the last one received before. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /**
   * Sends the client the command's status (a `v1.Status` in JSON) after the data of the other streams, and closes the connection. Resolves
   * when all of it is sent, or the client has disconnected. Never rejects.
   */
  finish(status: Uint8Array | string): Promise<void>;
}

/** Parses a terminal size; undefined if it is invalid. */
function parseTerminalSize(text: string): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(text) as Partial<TerminalSize>;
    const good = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0 && (value as number) <= 0xffff;
    return good(Width) && good(Height) ? { Width, Height } : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the newest terminal size for later listeners. */
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
