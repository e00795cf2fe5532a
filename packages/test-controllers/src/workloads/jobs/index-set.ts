/** The indexes of a text such as `0,2-4` that are below `end`; parts that are none are skipped. */
export function parseIndexes(text: string | undefined, end: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (first === undefined) continue;
    for (let index = Number(first); index <= Number(last) && index < end; index++) indexes.add(index);
  }
  return indexes;
}

/** The text of indexes, with ranges of three and more. */
export function formatIndexes(indexes: Iterable<number>): string {
  const ranges: [first: number, last: number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && index === range[1] + 1) range[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`)).join(',');
}
