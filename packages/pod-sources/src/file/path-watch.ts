import { basename, dirname } from 'node:path';
import type { Clock, Logger, Timer } from '@nodeagent/api';
import type { ManifestFileSystem, ManifestStat } from './manifest-files.js';
import type { Watch, WatchHandle } from './watch.js';

const firstRetryMs = 1000;
const maxRetryMs = 20_000;

export interface PathWatchOptions {
  path: string;
  files: ManifestFileSystem;
  watch: Watch;
  clock: Pick<Clock, 'setTimeout'>;
  logger: Logger;
  /** Called with the name of a changed file of the folder, or undefined if any file may have changed. */
  onEvent: (name: string | undefined) => void;
}

/**
 * Keeps a watch on a folder; for a single file, on its parent folder, because a watch on the file ends when the file is replaced. It
 * polls a missing path each second, and retries a failed watch after 1 s, 2 s, ... 20 s.
 */
export interface PathWatch {
  /**
   * Watches the current file or folder at the path. Returns it, and whether the watch is new (`moved`): the caller must then read all
   * files, since earlier changes caused no event. Rejects if the path cannot be inspected.
   */
  ensure(): Promise<{ found: ManifestStat | undefined; moved: boolean }>;
  stop(): void;
}

export function createPathWatch({ path, files, watch, clock, logger, onEvent }: PathWatchOptions): PathWatch {
  let handle: WatchHandle | undefined;
  let watchedId: string | undefined;
  let retry: Timer | undefined;
  let retryMs = firstRetryMs;
  let stopped = false;

  const close = () => {
    handle?.close();
    handle = undefined;
    watchedId = undefined;
  };

  const retryIn = (ms: number, action: () => void) => {
    if (stopped) return;
    retry?.cancel();
    retry = clock.setTimeout(() => {
      retry = undefined;
      action();
    }, ms);
  };

  /** Polls the missing path each second, and emits an event as soon as it exists. */
  const awaitPath = () => {
    retryIn(firstRetryMs, () => {
      files.stat(path).then(
        (found) => (found === undefined ? awaitPath() : onEvent(undefined)),
        () => awaitPath(),
      );
    });
  };

  const failed = (error: unknown) => {
    logger.debug({ path, err: error, retryMs }, 'watching the manifests failed; they are checked periodically meanwhile');
    close();
    retryIn(retryMs, () => onEvent(undefined));
    retryMs = Math.min(2 * retryMs, maxRetryMs);
  };

  return {
    async ensure() {
      const found = await files.stat(path);
      if (found === undefined) {
        close();
        awaitPath();
        return { found, moved: false };
      }
      const single = found.kind !== 'directory';
      const directory = single ? dirname(path) : path;
      const id = single ? (await files.stat(directory))?.id : found.id;
      if (stopped || (handle !== undefined && watchedId === id)) return { found, moved: false };
      close();
      retry?.cancel();
      retry = undefined;
      try {
        handle = watch(directory, (name) => pass(name, single), failed);
        watchedId = id;
        retryMs = firstRetryMs;
      } catch (error) {
        failed(error);
      }
      return { found, moved: true };
    },
    stop() {
      stopped = true;
      retry?.cancel();
      close();
    },
  };

  /** Hidden files are no manifests; but names that begin with two dots are how mounted config maps swap their content. */
  function pass(name: string | undefined, single: boolean): void {
    if (name === undefined || name.startsWith('..')) onEvent(undefined);
    else if (single ? name === basename(path) : !name.startsWith('.')) onEvent(single ? undefined : name);
  }
}
