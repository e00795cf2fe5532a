/** Start and end of the last graceful shutdown, in milliseconds since 1970. Without an end it is in progress, or was interrupted. */
export interface ShutdownState {
  startTime: number;
  endTime?: number;
}

/** Stores the last graceful shutdown across restarts. */
export interface ShutdownStateStore {
  /** Undefined if there was none. */
  load(): Promise<ShutdownState | undefined>;
  save(state: ShutdownState): Promise<void>;
}
