import { watch as watchPath } from 'node:fs';

/** A watch that was set; closing it twice does nothing. */
export interface WatchHandle {
  close(): void;
}

/**
 * Reports changes in a folder: `onEvent` with the name of the entry, or undefined if it is not known. `onError` ends the watch. Throws
 * if the folder cannot be watched.
 */
export type Watch = (directory: string, onEvent: (name: string | undefined) => void, onError: (error: unknown) => void) => WatchHandle;

/** inotify, through `fs.watch`. */
export const nodeWatch: Watch = (directory, onEvent, onError) => {
  const watcher = watchPath(directory, (_, name) => onEvent(name ?? undefined));
  watcher.on('error', onError);
  return { close: () => watcher.close() };
};
