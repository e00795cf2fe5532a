/** Cases that a file keeps, if they are small enough. */
const wantedCases = 40;
/** Bytes that a file may have. */
const wantedBytes = 45_000;
/** Up to this many cases may take more, where cases are whole simulations. */
const fewCases = 5;
const fewBytes = 120_000;

/**
 * Chooses cases evenly from the first to the last, by their sizes alone: about 40, fewer where they are long. Returns their indices.
 * Recordings go from simple cases to random ones, so that an even spread has some of each kind. It is what a file without an adapter
 * keeps, and what the choice by mutants is compared with.
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
