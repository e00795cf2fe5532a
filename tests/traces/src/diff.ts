/** The difference of two lists of lines by their longest common part: `- ` only expected, `+ ` only found. Empty if they are equal. */
export function diffLines(expected: readonly string[], found: readonly string[]): string[] {
  const common = commonLengths(expected, found);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < expected.length || j < found.length) {
    if (i < expected.length && expected[i] === found[j]) {
      i++;
      j++;
    } else if (j >= found.length || (i < expected.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      lines.push(`- ${expected[i++]}`);
    } else lines.push(`+ ${found[j++]}`);
  }
  return lines;
}

/** By positions in both lists: how many lines the rests have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    const [row = [], below = []] = [lengths[i], lengths[i + 1]];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}
