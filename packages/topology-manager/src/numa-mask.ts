import type { NumaNodeInfo } from '@nodeagent/api';

/** Sets of NUMA nodes are 32-bit integers without the sign. */
export const maxNumaNodes = 31;

/** The NUMA nodes of a machine, and sets of them as masks: bit N is the node at index N of the list. */
export interface NumaNodes {
  /** The set of all nodes. */
  all: number;
  /** The set of the nodes with these numbers; unknown numbers are left out. */
  maskOf(ids: readonly number[]): number;
  /** The numbers of the nodes in a set, ascending. */
  idsOf(mask: number): number[];
  /** Sum of the distances between all ordered pairs of nodes in a set, each node with itself included. */
  distanceSum(mask: number): number;
}

export function createNumaNodes(nodes: readonly Pick<NumaNodeInfo, 'id' | 'distances'>[]): NumaNodes {
  const indexOf = new Map(nodes.map(({ id }, index) => [id, index]));
  const indexesOf = (mask: number) => Array.from(nodes.keys()).filter((index) => mask & (1 << index));
  return {
    all: 2 ** nodes.length - 1,
    maskOf(ids) {
      let mask = 0;
      for (const id of ids) {
        const index = indexOf.get(id);
        if (index !== undefined) mask |= 1 << index;
      }
      return mask;
    },
    idsOf: (mask) => indexesOf(mask).map((index) => nodes[index]?.id ?? 0),
    distanceSum(mask) {
      const indexes = indexesOf(mask);
      return indexes.flatMap((from) => indexes.map((to) => nodes[from]?.distances[to] ?? 0)).reduce((sum, each) => sum + each, 0);
    },
  };
}

/** The number of nodes in a set. */
export function countNodes(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
