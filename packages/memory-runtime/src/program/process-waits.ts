import { type Clock, sleepWith, type Timer } from '@nodeagent/api';

/** The waits of a process: when it has ended, its timers are cancelled, its connections are closed, and what it waits for never settles. */
export class ProcessWaits {
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  readonly #connections = new Set<AbortController>();
  #ended = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.sleep = sleepWith((callback, ms) => this.setTimeout(callback, ms));
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Without a timer for Infinity. */
  setTimeout(callback: () => void, ms: number): Timer {
    if (this.#ended || ms === Number.POSITIVE_INFINITY) return { cancel() {} };
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

  /** A connection that is closed when the process ends or the signal aborts. `close` it. */
  connection(signal?: AbortSignal): { signal: AbortSignal; close(): void } {
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    if (this.#ended || signal?.aborted) abort();
    this.#connections.add(controller);
    return {
      signal: controller.signal,
      close: () => {
        this.#connections.delete(controller);
        signal?.removeEventListener('abort', abort);
      },
    };
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
    for (const connection of this.#connections) connection.abort();
    this.#connections.clear();
  }
}

/** A new promise for each caller: a shared one would retain all of them. */
const never = () => new Promise<never>(() => {});
