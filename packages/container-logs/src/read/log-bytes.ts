import type { OpenLog } from './log-source.js';

/** No bytes will come any more. */
export const endOfLog = 'end of log';
/** One file is read to its end and another begins. */
export const nextFile = 'next file';

/** The bytes of a log, of one file after the other. */
export interface LogBytes {
  /** Fills the target and resolves with how many bytes there were, at least one. */
  read(target: Uint8Array): Promise<number | typeof endOfLog | typeof nextFile>;
  close(): Promise<void>;
}

/** What a file has now, from a position on. */
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
