import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Console, InputStream, InterruptReason, OutputStream } from './console.js';

/** A console for tests: records its output; `end()` interrupts the command. */
export function createTestConsole(
  options: { isTTY?: boolean; columns?: number; rows?: number; env?: NodeJS.ProcessEnv; stdin?: InputStream } = {},
) {
  const { env = {}, stdin = Readable.from([]), ...size } = options;
  const stdout = createTestStream(size);
  const stderr = createTestStream(size);
  const listeners = new Set<(why: InterruptReason) => void>();
  const console: Console = {
    stdin,
    stdout,
    stderr,
    env,
    isRoot: true,
    onInterrupt(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return {
    console,
    stdout,
    stderr,
    listeners,
    end(why: InterruptReason) {
      for (const listener of listeners) listener(why);
    },
  };
}

function createTestStream(size: { isTTY?: boolean; columns?: number; rows?: number }) {
  const listeners = new Map<string, Set<() => void>>();
  const of = (event: string) => listeners.get(event) ?? listeners.set(event, new Set()).get(event) ?? new Set();
  const writes: string[] = [];
  const stream = {
    ...size,
    writes,
    /** All that was written, without escape sequences. */
    get text() {
      return stripVTControlCharacters(writes.join(''));
    },
    write: (data: string | Uint8Array) => writes.push(typeof data === 'string' ? data : Buffer.from(data).toString()),
    on: (event: string, listener: () => void) => of(event).add(listener),
    off: (event: string, listener: () => void) => of(event).delete(listener),
    resize(columns: number, rows: number) {
      Object.assign(stream, { columns, rows });
      for (const listener of of('resize')) listener();
    },
  };
  return stream satisfies OutputStream & object;
}
