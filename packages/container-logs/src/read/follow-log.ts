import { type Clock, type Logger, onAbort } from '@nodeagent/api';
import type { FolderWatches } from './folder-watches.js';
import { endOfLog, type LogBytes, nextFile } from './log-bytes.js';
import { followChanges, type LogChanges } from './log-changes.js';
import type { LogSource, OpenLog } from './log-source.js';

export interface FollowLogOptions {
  log: OpenLog;
  /** The resolved path, without symbolic links. */
  path: string;
  /** Byte offset of the first read. */
  position: number;
  source: LogSource;
  watches: FolderWatches;
  clock: Clock;
  logger: Logger;
  followIntervalMs: number;
  ended?(signal: AbortSignal): Promise<void>;
  signal?: AbortSignal;
}

/**
 * The bytes of a log, including those written later, until it has ended. After a rotation it switches to the new file only when that has
 * content: until then the runtime may still write to the old one. The old file is read to its end first.
 */
export function followLog({ source, path, clock, logger, followIntervalMs, ...options }: FollowLogOptions): LogBytes {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = (reason: unknown) => controller.abort(reason);
  if (options.signal?.aborted) abort(options.signal.reason);
  // The abort in `close` removes this listener: the reader's signal may outlive thousands of logs.
  onAbort(options.signal, abort, signal);
  let { log, position } = options;
  let changes: LogChanges | undefined;
  let successor: OpenLog | undefined;
  /** No more bytes will be written to this file. */
  let isFinal = false;
  /** The log may have been rotated before the watch was open. */
  let shouldCheckPath = true;

  const follow = () =>
    followChanges({
      path,
      watches: options.watches,
      clock,
      signal,
      ended: options.ended ? options.ended(signal) : new Promise(() => {}),
      onWatchError: (error) => logger.warn({ log: path, err: error }, `log file "${path}" cannot be watched, polling every second`),
    });
  const findSuccessor = async () => {
    const found = await source.open(path);
    if (found?.id === log.id) await found.close();
    else successor = found;
  };
  const switchTo = async (to: OpenLog) => {
    await log.close();
    log = to;
    successor = undefined;
    position = 0;
    isFinal = false;
    shouldCheckPath = true;
  };

  return {
    async read(target) {
      for (;;) {
        const count = await log.read(target, position);
        position += count;
        if (count > 0) return count;
        const readAt = clock.monotonic();

        if (isFinal && successor) {
          await switchTo(successor);
          return nextFile;
        }
        if (isFinal) return endOfLog;
        if (changes === undefined) {
          // Read what was written before the watch was open.
          changes = follow();
          continue;
        }
        const isReplaced = changes.takeReplaced();
        const { hasEnded } = changes;
        if (successor === undefined && (isReplaced || shouldCheckPath || hasEnded)) await findSuccessor();
        shouldCheckPath = false;
        if (hasEnded || (successor && (await successor.size()) > 0)) {
          isFinal = true;
          continue;
        }
        await changes.next();
        const rest = readAt + followIntervalMs - clock.monotonic();
        if (rest > 0) await clock.sleep(rest, signal);
      }
    },
    async close() {
      controller.abort(new Error('the log reader was closed'));
      changes?.close();
      await Promise.all([log.close(), successor?.close()]);
    },
  };
}
