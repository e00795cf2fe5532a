/** Whether a hint is narrower than another: fewer nodes or, with as many, the smaller numbers, compared from the largest. */
export function isNarrowerNodeSet(nodes: readonly number[], other: readonly number[]): boolean {
  if (nodes.length !== other.length) return nodes.length < other.length;
  for (let index = nodes.length - 1; index >= 0; index--) {
    const [one, two] = [nodes[index] ?? 0, other[index] ?? 0];
    if (one !== two) return one < two;
  }
  return false;
}
