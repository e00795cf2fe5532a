import { invalidArgument } from './arguments.js';
import { checkOptionNames } from './option-names.js';

/** Settings of a {@link Backoff}; all in milliseconds. */
export interface BackoffOptions {
  /** First delay in milliseconds. Default 10 s. */
  initial?: number;
  /** Maximum delay in milliseconds, also of the first one. Default 300 s. */
  max?: number;
  /** Milliseconds after the last failure at which an entry expires. Default: twice the maximum delay. */
  expiry?: number;
}

interface Entry {
  backoff: number;
  lastUpdate: number;
}

/**
 * Exponential back-off by key, as the kubelet applies it to containers and image pulls: the delay doubles with each failure and resets when
 * the entry expires. Has no timer; the caller passes the current time.
 */
export interface Backoff {
  /** The current delay of the key; 0 if it has none. */
  get(key: string): number;
  /** Records a failure at `now`: sets the first delay for a new or expired key, else doubles the last delay up to the maximum. */
  next(key: string, eventTime: number, now: number): void;
  /** Whether `now` is within the delay that started at `eventTime`. */
  isInBackoffSince(key: string, eventTime: number, now: number): boolean;
  /** Whether `now` is within the delay that started at the last failure. */
  isInBackoffSinceUpdate(key: string, now: number): boolean;
  /** The end of the delay that started at the last failure; undefined if `now` is not within it. */
  endsAt(key: string, now: number): number | undefined;
  reset(key: string): void;
  /** Removes expired entries. */
  collect(now: number): void;
}

/** Creates a {@link Backoff} without entries. Throws `InvalidArgument` for an option that is not a positive number. */
export function createBackoff(options: BackoffOptions = {}): Backoff {
  checkOptionNames('createBackoff', options, { initial: true, max: true, expiry: true });
  const { initial = 10_000, max = 300_000, expiry = 2 * max } = options;
  for (const [field, value] of Object.entries({ initial, max, expiry })) {
    if (!(value > 0)) throw invalidArgument(field, 'a positive number of milliseconds', value);
  }
  const first = Math.min(initial, max);
  const entries = new Map<string, Entry>();
  const isExpired = (entry: Entry, at: number) => at - entry.lastUpdate > expiry;
  const isInBackoffSinceUpdate = (key: string, now: number) => {
    const entry = entries.get(key);
    return entry !== undefined && !isExpired(entry, now) && now - entry.lastUpdate < entry.backoff;
  };
  return {
    get: (key) => entries.get(key)?.backoff ?? 0,
    next(key, eventTime, now) {
      const entry = entries.get(key);
      const backoff = entry === undefined || isExpired(entry, eventTime) ? first : Math.min(2 * entry.backoff, max);
      entries.set(key, { backoff, lastUpdate: now });
    },
    isInBackoffSince(key, eventTime, now) {
      const entry = entries.get(key);
      return entry !== undefined && !isExpired(entry, eventTime) && now - eventTime < entry.backoff;
    },
    isInBackoffSinceUpdate,
    endsAt(key, now) {
      const entry = entries.get(key);
      return entry !== undefined && isInBackoffSinceUpdate(key, now) ? entry.lastUpdate + entry.backoff : undefined;
    },
    reset: (key) => void entries.delete(key),
    collect(now) {
      for (const [key, entry] of entries) if (isExpired(entry, now)) entries.delete(key);
    },
  };
}
