/** A map that keeps entries from one pass to the next and removes those that a pass did not use. */
export interface PassMap<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  /** Removes the entries that were neither read nor set since the last call. */
  endPass(): void;
}

export function createPassMap<T>(): PassMap<T> {
  const entries = new Map<string, { value: T; pass: number }>();
  let pass = 0;
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entry.pass = pass;
      return entry.value;
    },
    set(key, value) {
      const entry = entries.get(key);
      if (entry === undefined) {
        entries.set(key, { value, pass });
        return;
      }
      entry.value = value;
      entry.pass = pass;
    },
    delete: (key) => void entries.delete(key),
    endPass() {
      entries.forEach((entry, key) => {
        if (entry.pass !== pass) entries.delete(key);
      });
      pass++;
    },
  };
}
