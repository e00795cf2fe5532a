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
export interface Backoff {
  /** The delay in force for the key; 0 if none. */
  get(key: string): number;
  /** Notes a failure at `now`: the first delay for a new or expired key, else twice the last one up to the longest. */
  next(key: string, eventTime: number, now: number): void;
  /** Whether `now` still lies in the delay that began at `eventTime`. */
  isInBackoffSince(key: string, eventTime: number, now: number): boolean;
  /** Whether `now` still lies in the delay that began at the last failure. */
  isInBackoffSinceUpdate(key: string, now: number): boolean;
  /** When the delay in force that began at the last failure ends; undefined if `now` does not lie in one. */
  endsAt(key: string, now: number): number | undefined;
  reset(key: string): void;
  /** Forgets what expired. */
  collect(now: number): void;
}

/** Creates a {@link Backoff} without entries. Throws `InvalidArgument` for a setting that is no positive number. */
export function createBackoff({ initial = 10_000, max = 300_000, expiry = 2 * max }: BackoffOptions = {}): Backoff {
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
