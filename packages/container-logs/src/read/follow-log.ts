import { type Clock, type Logger, onAbort } from '@nodeagent/api';
import type { FolderWatches } from './folder-watches.js';
import { endOfLog, type LogBytes, nextFile } from './log-bytes.js';
import { followChanges, type LogChanges } from './log-changes.js';
import type { LogSource, OpenLog } from './log-source.js';

export interface FollowLogOptions {
  log: OpenLog;
  /** Without symbolic links. */
  path: string;
  /** Where reading begins. */
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
 * What a log has and gets, until it has ended. Another file under its name is gone over to when there is something in it: until then the
 * runtime may still write into the earlier one, which is read to its end first.
 */
export function followLog({ source, path, clock, logger, followIntervalMs, ...options }: FollowLogOptions): LogBytes {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = (reason: unknown) => controller.abort(reason);
  if (options.signal?.aborted) abort(options.signal.reason);
  // Taken off again by the abort in `close`: the reader's signal may outlive thousands of logs.
  onAbort(options.signal, abort, signal);
  let { log, position } = options;
  let changes: LogChanges | undefined;
  let successor: OpenLog | undefined;
  /** Nothing more comes into this file than is in it. */
  let isFinal = false;
  /** The name may have gone to another file while nobody watched. */
  let mustLook = true;

  const follow = () =>
    followChanges({
      path,
      watches: options.watches,
      clock,
      signal,
      ended: options.ended ? options.ended(signal) : new Promise(() => {}),
      onWatchError: (error) => logger.warn({ log: path, err: error }, `log file "${path}" is looked at each second`),
    });
  const findSuccessor = async () => {
    const found = await source.open(path);
    if (found?.id === log.id) await found.close();
    else successor = found;
  };
  const goOver = async (to: OpenLog) => {
    await log.close();
    log = to;
    successor = undefined;
    position = 0;
    isFinal = false;
    mustLook = true;
  };

  return {
    async read(target) {
      for (;;) {
        const count = await log.read(target, position);
        position += count;
        if (count > 0) return count;
        const readAt = clock.monotonic();

        if (isFinal && successor) {
          await goOver(successor);
          return nextFile;
        }
        if (isFinal) return endOfLog;
        if (changes === undefined) {
          // What came before the watch was set has to be read first.
          changes = follow();
          continue;
        }
        const isReplaced = changes.takeReplaced();
        const { hasEnded } = changes;
        if (successor === undefined && (isReplaced || mustLook || hasEnded)) await findSuccessor();
        mustLook = false;
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
      controller.abort(new Error('the log is not read any more'));
      changes?.close();
      await Promise.all([log.close(), successor?.close()]);
    },
  };
}
