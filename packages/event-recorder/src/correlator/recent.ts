/** An LRU cache of at most `capacity` values. */
export interface Recent<V> {
  readonly size: number;
  /** Counts as a use. */
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

export function createRecent<V>(capacity: number): Recent<V> {
  const values = new Map<string, V>();
  const set = (key: string, value: V) => {
    values.delete(key);
    values.set(key, value);
    if (values.size <= capacity) return;
    const [oldest] = values.keys();
    if (oldest !== undefined) values.delete(oldest);
  };
  return {
    get size() {
      return values.size;
    },
    get(key) {
      const value = values.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
  };
}
