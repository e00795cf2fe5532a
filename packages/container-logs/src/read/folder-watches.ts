import type { LogFolderListener, LogSource } from './log-source.js';

interface FolderWatch {
  close(): void;
  listeners: Set<Listener>;
}

interface Listener {
  onEvent: LogFolderListener;
  onError(error: unknown): void;
}

/** Shared folder watches: one per folder, open while it has listeners. */
export interface FolderWatches {
  /** Returns a function that removes the listener. Throws if the folder cannot be watched. */
  listen(folder: string, listener: Listener): () => void;
}

export function createFolderWatches(source: Pick<LogSource, 'watch'>): FolderWatches {
  const watches = new Map<string, FolderWatch>();

  const open = (folder: string): FolderWatch => {
    const listeners = new Set<Listener>();
    const onEvent: LogFolderListener = (event, name) => {
      for (const listener of listeners) listener.onEvent(event, name);
    };
    const onError = (error: unknown) => {
      drop(folder, opened);
      for (const listener of listeners) listener.onError(error);
    };
    const opened: FolderWatch = { listeners, close: source.watch(folder, onEvent, onError).close };
    watches.set(folder, opened);
    return opened;
  };
  const drop = (folder: string, watch: FolderWatch) => {
    if (watches.get(folder) === watch) watches.delete(folder);
    watch.close();
  };

  return {
    listen(folder, listener) {
      const watch = watches.get(folder) ?? open(folder);
      watch.listeners.add(listener);
      return () => {
        if (watch.listeners.delete(listener) && watch.listeners.size === 0) drop(folder, watch);
      };
    },
  };
}
