/** Who has to hear that the machine goes down. */
export interface ShutdownWatcher {
  /** For how long the machine has to be held up, in seconds. */
  seconds: number;
  /** The machine is about to go down; it is held up until this settles, or until its own limit is over. */
  onShutdown(): Promise<void>;
  /** The machine stays after all. */
  onCancelled(): void;
}

/** Tells when the machine goes down, and holds it up meanwhile. */
export interface ShutdownInhibitor {
  /**
   * Resolves once the machine cannot go down unnoticed, and goes on until the signal aborts: what breaks later is mended. Rejects if the
   * machine cannot be held up for so long.
   */
  watch(watcher: ShutdownWatcher, signal: AbortSignal): Promise<void>;
}
