/** Number of cases that a file keeps, if they are small enough. */
const wantedCases = 40;
/** Maximum size of a file in bytes. */
const wantedBytes = 45_000;
/** Up to this number of cases may exceed the size, for cases that are whole simulations. */
const fewCases = 5;
const fewBytes = 120_000;

/**
 * Chooses cases evenly from the first to the last, by their sizes alone: about 40, fewer if they are long. Returns their indices. Recordings progress
 * from simple cases to random ones, so that an even spread has some of each kind. Files without an adapter keep it, and the report compares the
 * choice by mutants with it.
 */
export function spreadCases(bytes: readonly number[]): number[] {
  for (let count = Math.min(wantedCases, bytes.length); count > 1; count--) {
    const chosen = evenly(bytes.length, count);
    const total = chosen.reduce((sum, index) => sum + (bytes[index] ?? 0), 0);
    if (total <= (count <= fewCases ? fewBytes : wantedBytes)) return chosen;
  }
  return bytes.length === 0 ? [] : [bytes.indexOf(Math.min(...bytes))];
}

/** `count` of the indices below `length`, from the first to the last. */
export function evenly(length: number, count: number): number[] {
  if (count >= length) return Array.from({ length }, (_, index) => index);
  const step = count === 1 ? 0 : (length - 1) / (count - 1);
  return Array.from({ length: count }, (_, i) => Math.round(i * step));
}
