import { createPassMap } from './pass-map.js';

/** What hardly changes, as it was when it was last looked at. */
export interface Steady<T> {
  /** Undefined if it has to be looked at. */
  recall(key: string): T | undefined;
  remember(key: string, value: T): void;
  forget(key: string): void;
  /** Forgets what was neither recalled nor remembered since the last call. */
  endPass(): void;
}

/** For how long that holds, in milliseconds. */
const steadyMs = 60_000;

export function createSteady<T>(monotonic: () => number): Steady<T> {
  const known = createPassMap<{ value: T; at: number }>();
  return {
    recall(key) {
      const found = known.get(key);
      return found !== undefined && monotonic() - found.at < steadyMs ? found.value : undefined;
    },
    remember: (key, value) => known.set(key, { value, at: monotonic() }),
    forget: (key) => known.delete(key),
    endPass: () => known.endPass(),
  };
}
