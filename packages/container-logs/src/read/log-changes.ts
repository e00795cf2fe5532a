import type { Clock } from '@nodeagent/api';
import { basename, dirname } from '@nodeagent/api/helpers';
import type { FolderWatches } from './folder-watches.js';

/** Polling period of a log whose folder cannot be watched. */
const pollPeriodMs = 1_000;

/** Notifies a follower that its log may have grown, was replaced, or will not grow any more. */
export interface LogChanges {
  /** False once the folder cannot be watched: then a file that replaces the log is not reported. */
  readonly isWatched: boolean;
  /** No more lines will be written. */
  readonly hasEnded: boolean;
  /** Resolves when something changed since the last call, at once if it already has. Rejects when the signal aborts, or when `ended` rejects. */
  next(): Promise<void>;
  close(): void;
}

export interface LogChangesOptions {
  path: string;
  watches: FolderWatches;
  clock: Clock;
  signal: AbortSignal;
  /** Resolves when no more lines will be written. */
  ended: Promise<void>;
  /** Called at once for each file that may have replaced the log, so that a slow reader does not miss one. */
  onReplaced(): void;
  onWatchError(error: unknown): void;
}

/** Starts listening. */
export function followChanges({ path, watches, clock, signal, ended, onReplaced, onWatchError }: LogChangesOptions): LogChanges {
  const name = basename(path);
  let hasEnded = false;
  let hasChanged = false;
  let isWatched = true;
  let isClosed = false;
  let failure: { reason: unknown } | undefined;
  let notify = () => {};
  const change = () => {
    hasChanged = true;
    notify();
  };
  const fail = (reason: unknown) => {
    failure ??= { reason };
    change();
  };
  const giveUpWatching = (error: unknown) => {
    isWatched = false;
    onWatchError(error);
    change();
  };

  let stopListening = () => {};
  try {
    stopListening = watches.listen(dirname(path), {
      onEvent(event, of) {
        if (of !== undefined && of !== name) return;
        if (event === 'renamed') onReplaced();
        change();
      },
      onError: giveUpWatching,
    });
  } catch (error) {
    giveUpWatching(error);
  }
  const onAbort = () => fail(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  ended.then(() => {
    hasEnded = true;
    change();
  }, fail);

  const wait = () =>
    new Promise<void>((resolve) => {
      const timer = isWatched ? undefined : clock.setTimeout(() => notify(), pollPeriodMs);
      notify = () => {
        timer?.cancel();
        notify = () => {};
        resolve();
      };
    });
  return {
    get isWatched() {
      return isWatched;
    },
    get hasEnded() {
      return hasEnded;
    },
    async next() {
      if (!hasChanged && !isClosed) await wait();
      hasChanged = false;
      if (failure) throw failure.reason;
    },
    close() {
      isClosed = true;
      stopListening();
      signal.removeEventListener('abort', onAbort);
      notify();
    },
  };
}
