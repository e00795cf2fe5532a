/** A set of whole numbers that are not negative. */
export interface NumberSet {
  /** Adds a number; returns false if it is in the set. */
  add(value: number): boolean;
}

const maxTableSize = 2 ** 18;

/** An empty {@link NumberSet} for numbers below `limit`: a table where it is small, because a Set costs ten times as much per number. */
export function createNumberSet(limit: number): NumberSet {
  if (limit <= maxTableSize) {
    const table = new Uint8Array(limit);
    return {
      add(value) {
        if (table[value] === 1) return false;
        table[value] = 1;
        return true;
      },
    };
  }
  const values = new Set<number>();
  return {
    add(value) {
      if (values.has(value)) return false;
      values.add(value);
      return true;
    },
  };
}
