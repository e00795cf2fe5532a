/** A pending timer. Cancelling it twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time. All code that waits, measures durations or writes timestamps takes a clock, so that tests and simulations run in
 * virtual time. {@link systemClock} is the system's clock; `@nodeagent/testing` has a virtual one.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. May jump forwards and backwards. */
  now(): number;
  /** Milliseconds since an arbitrary start; never decreases. For durations. */
  monotonic(): number;
  /** Calls back once after `ms` milliseconds (as soon as possible if not positive), never synchronously. */
  setTimeout(callback: () => void, ms: number): Timer;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A uniformly distributed number in [0, 1), as Math.random. All jitter uses it; tests pass a seeded one. */
export type Random = () => number;
