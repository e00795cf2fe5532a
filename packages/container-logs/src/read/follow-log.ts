import { type Clock, type Logger, NodeAgentError, onAbort } from '@nodeagent/api';
import { containerLogsErrorCodes } from '../errors.js';
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

/** Rotated files that a slow reader holds open: they take space on the disk although they are removed. */
const maxSuccessors = 8;

/**
 * The bytes of a log, including those written later, until it has ended. After a rotation it switches to the new file only when that has
 * content: until then the runtime may still write to the old one. The old file is read to its end first. A reader may be
 * {@link maxSuccessors} rotations behind, then reading fails.
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
  /** The files that have replaced this one, oldest first. */
  const successors: OpenLog[] = [];
  /** The last search for a successor: they run one after the other. */
  let searched: Promise<void> = Promise.resolve();
  /** No more bytes will be written to this file. */
  let isFinal = false;
  /** The log may have been rotated before the watch was open. */
  let shouldCheckPath = true;

  const search = () => {
    searched = searched.then(findSuccessor);
    searched.catch(() => {});
  };
  const findSuccessor = async () => {
    const found = await source.open(path);
    if (found === undefined) return;
    const isKnown = found.id === (successors.at(-1) ?? log).id;
    if (!isKnown && !signal.aborted && successors.length < maxSuccessors) {
      successors.push(found);
      return;
    }
    await found.close();
    if (!isKnown && !signal.aborted) throw tooSlow(path);
  };
  const follow = () =>
    followChanges({
      path,
      watches: options.watches,
      clock,
      signal,
      ended: options.ended ? options.ended(signal) : new Promise(() => {}),
      onReplaced: search,
      onWatchError: (error) => logger.warn({ log: path, err: error }, `log file "${path}" cannot be watched, polling every second`),
    });
  const switchTo = async (to: OpenLog) => {
    await log.close();
    log = to;
    position = 0;
    isFinal = false;
  };
  /** With a second successor the runtime has created the first one, and writes to it or has written to it. */
  const hasSwitched = async () => successors.length > 1 || ((await successors[0]?.size()) ?? 0) > 0;

  return {
    async read(target) {
      for (;;) {
        changes ??= follow();
        const count = await log.read(target, position);
        position += count;
        if (count > 0) return count;
        const readAt = clock.monotonic();

        if (isFinal) {
          const successor = successors.shift();
          if (successor === undefined) return endOfLog;
          await switchTo(successor);
          return nextFile;
        }
        const { hasEnded, isWatched } = changes;
        if (shouldCheckPath || hasEnded || !isWatched) search();
        shouldCheckPath = false;
        await searched;
        if (hasEnded || (await hasSwitched())) {
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
      await searched.catch(() => {});
      await Promise.all([log, ...successors].map((each) => each.close()));
    },
  };
}

const tooSlow = (path: string) =>
  new NodeAgentError(
    containerLogsErrorCodes.logUnavailable,
    `log file "${path}" was rotated more than ${maxSuccessors} times beyond what is read`,
    { details: { path } },
  );
