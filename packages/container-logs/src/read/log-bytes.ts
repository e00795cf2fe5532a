import type { OpenLog } from './log-source.js';

/** No more bytes will follow. */
export const endOfLog = 'end of log';
/** The end of one file; the next bytes are of another. */
export const nextFile = 'next file';

/** The bytes of a log, over its successive files. */
export interface LogBytes {
  /** Reads into the target; resolves with the number of bytes, at least one. */
  read(target: Uint8Array): Promise<number | typeof endOfLog | typeof nextFile>;
  close(): Promise<void>;
}

/** The current content of a file, from a position. */
export function readToEnd(log: OpenLog, from: number): LogBytes {
  let position = from;
  return {
    async read(target) {
      const count = await log.read(target, position);
      position += count;
      return count > 0 ? count : endOfLog;
    },
    close: () => log.close(),
  };
}
