/**
 * The known name closest to `name`, for a "did you mean" hint: one that differs only in case, else in at most two letters (one, if the name
 * has up to four). Undefined if none is close.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > 64) return undefined;
  let best: string | undefined;
  let limit = name.length <= 4 ? 2 : 3;
  for (const candidate of known) {
    const distance = name.toLowerCase() === candidate.toLowerCase() ? 0 : editDistance(name, candidate, limit);
    if (distance < limit) {
      best = candidate;
      limit = distance;
    }
  }
  return best;
}

/**
 * Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; `limit` if their lengths alone differ by
 * that many.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (above[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const swapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j] ? (before[j - 1] ?? 0) + 1 : replaced;
      row.push(Math.min(replaced, swapped, (above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    [before, above] = [above, row];
  }
  return above[b.length] ?? limit;
}
