import type { Clock, Timer } from '@nodeagent/api';

/** One timer for many due times, which rings at the earliest one. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: Timer | undefined;
  #at = Infinity;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at this monotonic time, unless it rings earlier. */
  set(at: number): void {
    if (at >= this.#at) return;
    this.stop();
    this.#at = at;
    this.#timer = this.#clock.setTimeout(
      () => {
        this.#at = Infinity;
        this.#ring();
      },
      Math.max(0, at - this.#clock.monotonic()),
    );
  }

  stop(): void {
    this.#timer?.cancel();
    this.#at = Infinity;
  }
}

/** The next multiple of a period after this time: what a loop of this period would do at its next turn. */
export const nextTurn = (after: number, periodMs: number): number => (Math.floor(after / periodMs) + 1) * periodMs;
