/** The receiver of shutdown notifications. */
export interface ShutdownWatcher {
  /** How long the shutdown of the machine must be delayed, in seconds. */
  seconds: number;
  /** The machine is about to shut down; the inhibitor delays it until this settles, or until the init system's limit. */
  onShutdown(): Promise<void>;
  /** The shutdown was cancelled. */
  onCancelled(): void;
}

/** Reports shutdowns of the machine and delays them. */
export interface ShutdownInhibitor {
  /**
   * Resolves when it receives and delays shutdowns, and continues until the signal aborts: it reconnects after failures. Rejects if it
   * cannot delay a shutdown for that long.
   */
  watch(watcher: ShutdownWatcher, signal: AbortSignal): Promise<void>;
}
