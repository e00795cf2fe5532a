import { watch } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { errorCode } from '@nodeagent/api';
import type { ReadableFile } from './tail-start.js';

/** A log that is open for reading; it stays the same file whatever happens to its name. */
export interface OpenLog extends ReadableFile {
  /** Differs from that of every other file that exists while this one is open. */
  readonly id: string;
  close(): Promise<void>;
}

/** Where logs are read from. Paths are absolute. */
export interface LogSource {
  /** The path with its symbolic links followed. Rejects if there is nothing. */
  resolve(path: string): Promise<string>;
  /** Undefined if there is no such file. */
  open(path: string): Promise<OpenLog | undefined>;
  /**
   * Calls back when an entry of the folder was written to (`changed`) or got or lost its name (`renamed`), with that name if it is known.
   * `onError` ends it. Throws if the folder cannot be watched.
   */
  watch(folder: string, onEvent: LogFolderListener, onError: (error: unknown) => void): { close(): void };
}

export type LogFolderListener = (event: 'changed' | 'renamed', name: string | undefined) => void;

/** The node's file system; folders are watched through inotify. */
export const nodeLogSource: LogSource = {
  resolve: (path) => realpath(path),
  async open(path) {
    let file: FileHandle;
    try {
      file = await open(path, 'r');
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
