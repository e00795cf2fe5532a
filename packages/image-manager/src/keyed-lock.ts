/** Serializes work with the same key; work with different keys runs concurrently. */
export interface KeyedLock {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      const result = (tails.get(key) ?? Promise.resolve()).then(work);
      const tail = result.catch(() => undefined).finally(() => tails.get(key) === tail && tails.delete(key));
      tails.set(key, tail);
      return result;
    },
  };
}
