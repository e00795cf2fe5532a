/**
 * The non-empty sets of NUMA nodes in the order in which hints list them: smaller sets first, sets of one size by their nodes. There are
 * 2^n - 1 sets of n nodes. `nodes` are ascending.
 */
export function* numaNodeSets(nodes: readonly number[]): Generator<number[], undefined> {
  for (let size = 1; size <= nodes.length; size++) yield* setsOfSize(nodes, size);
}

function* setsOfSize(nodes: readonly number[], size: number): Generator<number[], undefined> {
  if (size === 0) return yield [];
  for (const [index, first] of nodes.entries()) {
    for (const rest of setsOfSize(nodes.slice(index + 1), size - 1)) yield [first, ...rest];
  }
}
