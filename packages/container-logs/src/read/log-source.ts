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
