/** Cases a file keeps, if they are small enough. */
const wantedCases = 40;
/** Bytes a file may have. */
const wantedBytes = 45_000;
/** Up to this many cases may take more, where cases are whole simulations. */
const fewCases = 5;
const fewBytes = 120_000;

/**
 * The lines that a thinned file keeps: about 40, evenly spread from the first to the last, fewer where they are long. Recordings go
 * from simple cases to random ones, so that an even spread has some of each kind.
 */
export function thin(lines: readonly string[]): string[] {
  for (let count = Math.min(wantedCases, lines.length); count > 1; count--) {
    const chosen = spread(lines, count);
    const bytes = chosen.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (bytes <= (count <= fewCases ? fewBytes : wantedBytes)) return chosen;
  }
  return shortest(lines);
}

function spread<T>(items: readonly T[], count: number): T[] {
  const step = count === 1 ? 0 : (items.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, i) => items[Math.round(i * step)]).filter((item) => item !== undefined);
}

function shortest(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [lines.reduce((short, line) => (line.length < short.length ? line : short))];
}
