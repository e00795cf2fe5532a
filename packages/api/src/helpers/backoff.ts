import { invalidArgument } from '../contracts/arguments.js';

/** The longest back-off of crashing containers and of failed image pulls in a kubelet. */
export const maxContainerBackOffMs = 300_000;

/** Settings of a {@link Backoff}. */
export interface BackoffOptions {
  /** First delay in milliseconds. Default 10 s. */
  initialMs?: number;
  /** Maximum delay in milliseconds, also of the first one. Default 300 s. */
  maxMs?: number;
  /** Milliseconds after the last failure at which an entry expires. Default: twice the maximum delay. */
  expiryMs?: number;
}

/** The delay after this many failures in a row: the first one, doubled with each further failure up to the maximum. Milliseconds. */
export function backOffAfter(failures: number, initialMs = 10_000, maxMs = maxContainerBackOffMs): number {
  return failures > 0 ? Math.min(initialMs * 2 ** (failures - 1), maxMs) : 0;
}

interface Entry {
  failures: number;
  lastUpdate: number;
}

/**
 * Exponential back-off by key, as the kubelet applies it to containers and image pulls: the delay doubles with each failure and resets when
 * the entry expires. Has no timer; the caller passes the current time.
 */
export interface Backoff {
  /** The current delay of the key in milliseconds; 0 if it has none. */
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
  const { initialMs = 10_000, maxMs = maxContainerBackOffMs, expiryMs = 2 * maxMs } = options;
  for (const [field, value] of Object.entries({ initialMs, maxMs, expiryMs })) {
    if (!(value > 0)) throw invalidArgument(field, 'a positive number of milliseconds', value);
  }
  const entries = new Map<string, Entry>();
  const delayOf = ({ failures }: Entry) => backOffAfter(failures, initialMs, maxMs);
  const isExpired = (entry: Entry, at: number) => at - entry.lastUpdate > expiryMs;
  const isInBackoffSinceUpdate = (key: string, now: number) => {
    const entry = entries.get(key);
    return entry !== undefined && !isExpired(entry, now) && now - entry.lastUpdate < delayOf(entry);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      return entry === undefined ? 0 : delayOf(entry);
    },
    next(key, eventTime, now) {
      const entry = entries.get(key);
      const failures = entry === undefined || isExpired(entry, eventTime) ? 1 : entry.failures + 1;
      entries.set(key, { failures, lastUpdate: now });
    },
    isInBackoffSince(key, eventTime, now) {
      const entry = entries.get(key);
      return entry !== undefined && !isExpired(entry, eventTime) && now - eventTime < delayOf(entry);
    },
    isInBackoffSinceUpdate,
    endsAt(key, now) {
      const entry = entries.get(key);
      return entry !== undefined && isInBackoffSinceUpdate(key, now) ? entry.lastUpdate + delayOf(entry) : undefined;
    },
    reset: (key) => void entries.delete(key),
    collect(now) {
      for (const [key, entry] of entries) if (isExpired(entry, now)) entries.delete(key);
    },
  };
}
