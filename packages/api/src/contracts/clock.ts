/** A timer that was set and can be cancelled; cancelling twice or after it fired does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time. Whatever waits, measures or stamps takes one, so that tests and simulations run in virtual time.
 * {@link systemClock} is the real one; `@nodeagent/testing` has the virtual one.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. May jump. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. For measuring. */
  monotonic(): number;
  /** Calls back once, `ms` milliseconds from now (at once if not positive), never synchronously. */
  setTimeout(callback: () => void, ms: number): Timer;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Uniform in [0, 1), as Math.random; seeded in tests. The source of every jitter. */
export type Random = () => number;
