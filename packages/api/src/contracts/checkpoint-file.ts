/** State that is kept in one file across restarts of the process. */
export interface CheckpointFile<T> {
  /**
   * The state that was saved last; undefined if there is none. A corrupt file is renamed to `<path>.broken`, replacing an earlier one, and
   * the call rejects with `InvalidCheckpoint`, or the code that its creator chose; the next call finds no file. If the file
   * cannot be read, rejects with the file system's error or with `NotRegularFile`, and leaves the file in place.
   */
  load(): Promise<T | undefined>;
  /** Replaces the file as a whole. Calls must come one at a time. */
  save(state: T): Promise<void>;
}
