import { type Combination, relation } from './combinations.js';
import { countNodes, type NumaNodes } from './numa-mask.js';

/** How combinations are ranked. */
export interface CombinationOrder {
  nodes: Pick<NumaNodes, 'distanceSum'>;
  /** Of sets with equally many nodes, prefer the one with the smallest distances. */
  preferClosestNumaNodes: boolean;
  /** The number of nodes that the resources need: the maximum, over the resources, of the size of the narrowest hint. */
  neededNodes: number;
}

/**
 * Negative if the kubelet prefers `a`. Preferred combinations come first, by the fewest nodes. The others follow: those with `neededNodes`, then
 * those with fewer, by the most nodes, then those with more, by the fewest.
 */
export function compareCombinations(a: Combination, b: Combination, order: CombinationOrder): number {
  const [preferredA, preferredB] = [isPreferred(a), isPreferred(b)];
  if (preferredA !== preferredB) return preferredA ? -1 : 1;
  const [countA, countB] = [countNodes(a.mask), countNodes(b.mask)];
  if (countA === countB) return compareSameSize(a.mask, b.mask, order);
  if (preferredA) return countA - countB;
  const { neededNodes } = order;
  if (countA <= neededNodes && countB <= neededNodes) return countB - countA;
  return countA - countB;
}

export const isPreferred = (combination: Combination) => combination.relation !== relation.differ;

function compareSameSize(a: number, b: number, { preferClosestNumaNodes, nodes }: CombinationOrder): number {
  const closer = preferClosestNumaNodes ? nodes.distanceSum(a) - nodes.distanceSum(b) : 0;
  return closer || a - b;
}
