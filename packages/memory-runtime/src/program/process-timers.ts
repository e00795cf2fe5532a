import { type Clock, sleepWith, type Timer } from '@nodeagent/api';

/** The time of a process: when the process has ended, its timers are cancelled and what it waits for never settles. */
export class ProcessTimers {
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #ended = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.sleep = sleepWith((callback, ms) => this.setTimeout(callback, ms));
  }

  get ended(): boolean {
    return this.#ended;
  }

  setTimeout(callback: () => void, ms: number): Timer {
    if (this.#ended) return { cancel() {} };
    const set = this.#clock.setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, ms);
    const timer: Timer = {
      cancel: () => {
        this.#timers.delete(timer);
        set.cancel();
      },
    };
    this.#timers.add(timer);
    return timer;
  }

  /** Settles as the promise does, and not at all once the process has ended. */
  async guard<T>(promise: Promise<T>): Promise<T> {
    try {
      const value = await promise;
      return this.#ended ? never() : value;
    } catch (error) {
      if (this.#ended) return never();
      throw error;
    }
  }

  end(): void {
    this.#ended = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}

/** A new promise for each caller: a shared one would retain all of them. */
const never = () => new Promise<never>(() => {});
