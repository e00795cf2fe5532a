import { systemClock } from '@nodeagent/api';

const loads = new Set<Promise<unknown>>();

/** Loads a module with `import()`, and lets {@link modulesLoaded} wait for it. */
export function loadModule<T>(load: () => Promise<T>): Promise<T> {
  const loading = load().finally(() => loads.delete(loading));
  loads.add(loading);
  return loading;
}

/** Resolves when no module is being loaded, and what waited for the modules has continued. */
export async function modulesLoaded(): Promise<void> {
  while (loads.size > 0) {
    await Promise.allSettled(loads);
    await systemClock.sleep(0);
  }
}
