import { createPassMap } from './pass-map.js';

/** A cache of values that rarely change. An entry expires after {@link ttlMs}. */
export interface TtlCache<T> {
  /** Undefined if the key has no entry or the entry has expired. */
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  /** Removes the entries that were neither read nor set since the last call. */
  endPass(): void;
}

/** How long an entry is valid, in milliseconds of the monotonic clock. */
const ttlMs = 60_000;

export function createTtlCache<T>(monotonic: () => number): TtlCache<T> {
  const entries = createPassMap<{ value: T; at: number }>();
  return {
    get(key) {
      const found = entries.get(key);
      return found !== undefined && monotonic() - found.at < ttlMs ? found.value : undefined;
    },
    set: (key, value) => entries.set(key, { value, at: monotonic() }),
    delete: (key) => entries.delete(key),
    endPass: () => entries.endPass(),
  };
}
