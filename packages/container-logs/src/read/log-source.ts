import { watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { errorCode } from '@nodeagent/api';
import { openRegularFile, type RegularFile } from '@nodeagent/api/files';
import type { ReadableFile } from './tail-start.js';

/** A log that is open for reading. It remains the same file after a rename. */
export interface OpenLog extends ReadableFile {
  /** Unique among the files that exist while this one is open. */
  readonly id: string;
  close(): Promise<void>;
}

/** The file operations for reading logs. Paths are absolute. */
export interface LogSource {
  /** Resolves symbolic links in the path. Rejects if the target is missing. */
  resolve(path: string): Promise<string>;
  /** Undefined if the file is missing. Rejects at once for a pipe, a device or a folder: a pod may have put one in the place of its log. */
  open(path: string): Promise<OpenLog | undefined>;
  /**
   * Calls back when a file in the folder was written to (`changed`), or was created, renamed or removed (`renamed`), with its name if it is
   * known. The watch ends with `onError`. Throws if the folder cannot be watched.
   */
  watch(folder: string, onEvent: LogFolderListener, onError: (error: unknown) => void): { close(): void };
}

export type LogFolderListener = (event: 'changed' | 'renamed', name: string | undefined) => void;

/** The node's file system; folders are watched through inotify. */
export const nodeLogSource: LogSource = {
  resolve: (path) => realpath(path),
  async open(path) {
    let file: RegularFile;
    try {
      file = await openRegularFile(path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const { dev, ino } = await file.stat({ bigint: true });
      return {
        id: `${dev}:${ino}`,
        size: async () => (await file.stat()).size,
        read: async (target, position) => (await file.read(target, 0, target.length, position)).bytesRead,
        close: () => file.close(),
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  },
  watch(folder, onEvent, onError) {
    const watcher = watch(folder, (type, name) => onEvent(type === 'change' ? 'changed' : 'renamed', name ?? undefined));
    watcher.on('error', onError);
    return { close: () => watcher.close() };
  },
};
