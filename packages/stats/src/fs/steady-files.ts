import type { DiskUsage } from './file-systems.js';

/** What files that hardly change took when they were last looked at. */
export interface SteadyFiles<U extends DiskUsage = DiskUsage> {
  /** Undefined if it has to be looked at. */
  recall(path: string): U | undefined;
  remember(path: string, usage: U): void;
  /** Forgets what was not recalled or remembered since the last call. */
  endPass(): void;
}

/** For how long that holds, in milliseconds. */
const steadyMs = 60_000;

export function createSteadyFiles<U extends DiskUsage>(monotonic: () => number): SteadyFiles<U> {
  let last = new Map<string, { usage: U; at: number }>();
  let current: typeof last = new Map();
  return {
    recall(path) {
      const known = last.get(path);
      if (known === undefined || monotonic() - known.at >= steadyMs) return undefined;
      current.set(path, known);
      return known.usage;
    },
    remember: (path, usage) => void current.set(path, { usage, at: monotonic() }),
    endPass() {
      last = current;
      current = new Map();
    },
  };
}
