import type { Clock, Timer } from '@nodeagent/api';
import { type Place, placeKey } from './controller-objects.js';

/** When objects are reconciled again without a change: one timer each. */
export class Delays {
  readonly #clock: Clock;
  readonly #again: (place: Place) => void;
  readonly #timers = new Map<string, Timer>();

  /** `again` is called when the delay of an object is over. */
  constructor(clock: Clock, again: (place: Place) => void) {
    this.#clock = clock;
    this.#again = again;
  }

  cancel(place: Place): void {
    const key = placeKey(place);
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
  }

  /** `at` is in milliseconds since 1970; undefined: never. */
  set(place: Place, at: number | undefined): void {
    this.cancel(place);
    if (at === undefined) return;
    const timer = this.#clock.setTimeout(() => this.#again(place), Math.max(0, at - this.#clock.now()));
    this.#timers.set(placeKey(place), timer);
  }

  stop(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}
