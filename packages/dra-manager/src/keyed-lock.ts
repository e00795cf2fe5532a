/** Runs a task when all earlier tasks that share a key have settled. Settles as the task does. */
export type KeyedLock = <T>(keys: readonly string[], task: () => Promise<T>) => Promise<T>;

/** Creates a lock by keys. A call joins the queues of all its keys at once, so calls do not deadlock. */
export function createKeyedLock(): KeyedLock {
  const last = new Map<string, Promise<unknown>>();
  return async (keys, task) => {
    const run = Promise.allSettled(keys.map((key) => last.get(key))).then(task);
    for (const key of keys) last.set(key, run);
    try {
      return await run;
    } finally {
      for (const key of keys) if (last.get(key) === run) last.delete(key);
    }
  };
}
