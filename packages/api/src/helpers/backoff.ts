import { invalidArgument } from './arguments.js';

/** Settings of a {@link Backoff}; all in milliseconds. */
export interface BackoffOptions {
  /** First delay. Default 10 s. */
  initial?: number;
  /** Longest delay; a smaller one than `initial` also caps that. Default 300 s. */
  max?: number;
  /** An entry without a new failure for longer than this starts anew. Default twice `max`. */
  expiry?: number;
}

interface Entry {
  backoff: number;
  lastUpdate: number;
}

/**
 * Exponential back-off by key, as the kubelet keeps it for containers and image pulls: the delay doubles with each failure and
 * starts anew after a quiet time. Holds no timer; the caller brings the time.
 */
export class Backoff {
  readonly #initial: number;
  readonly #max: number;
  readonly #expiry: number;
  readonly #entries = new Map<string, Entry>();

  /** Throws `InvalidArgument` for a setting that is no positive number. */
  constructor({ initial = 10_000, max = 300_000, expiry = 2 * max }: BackoffOptions = {}) {
    for (const [field, value] of Object.entries({ initial, max, expiry })) {
      if (!(value > 0)) throw invalidArgument(field, 'a positive number of milliseconds', value);
    }
    this.#initial = Math.min(initial, max);
    this.#max = max;
    this.#expiry = expiry;
  }

  /** The delay in force for the key; 0 if none. */
  get(key: string): number {
    return this.#entries.get(key)?.backoff ?? 0;
  }

  /** Notes a failure at `now`: the first delay for a new or expired key, else twice the last one up to the longest. */
  next(key: string, eventTime: number, now: number): void {
    const entry = this.#entries.get(key);
    const backoff = entry === undefined || this.#expired(entry, eventTime) ? this.#initial : Math.min(2 * entry.backoff, this.#max);
    this.#entries.set(key, { backoff, lastUpdate: now });
  }

  /** Whether `now` still lies in the delay that began at `eventTime`. */
  isInBackoffSince(key: string, eventTime: number, now: number): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && !this.#expired(entry, eventTime) && now - eventTime < entry.backoff;
  }

  /** Whether `now` still lies in the delay that began at the last failure. */
  isInBackoffSinceUpdate(key: string, now: number): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && !this.#expired(entry, now) && now - entry.lastUpdate < entry.backoff;
  }

  /** When the delay in force that began at the last failure ends; undefined if `now` does not lie in one. */
  endsAt(key: string, now: number): number | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.isInBackoffSinceUpdate(key, now) ? entry.lastUpdate + entry.backoff : undefined;
  }

  reset(key: string): void {
    this.#entries.delete(key);
  }

  /** Forgets what expired. */
  collect(now: number): void {
    for (const [key, entry] of this.#entries) if (this.#expired(entry, now)) this.#entries.delete(key);
  }

  #expired(entry: Entry, at: number): boolean {
    return at - entry.lastUpdate > this.#expiry;
  }
}
