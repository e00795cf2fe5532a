import type { TopologyHint } from '@nodeagent/api';
import { createNumberSet } from './number-set.js';

/** A hint with its NUMA nodes as a mask. */
export interface MaskedHint {
  hint: TopologyHint;
  /** null: no preference. */
  mask: number | null;
  preferred: boolean;
}

/** How the hints of a combination relate. Numbers, because strings as keys double the time of a merge. */
export const relation = {
  /** All are preferred, and none names NUMA nodes. */
  free: 0,
  /** All are preferred, and those that name NUMA nodes name the same. */
  agree: 1,
  /** One is not preferred, or two name different NUMA nodes. */
  differ: 2,
} as const;

type Relation = (typeof relation)[keyof typeof relation];

/** One hint of each resource, with the nodes that all of them allow. */
export interface Combination {
  mask: number;
  relation: Relation;
  /** The last hint and the combination of the resources before it; absent for the combination of no resource. */
  last?: { hint: TopologyHint; rest: Combination };
}

/**
 * The combinations of one hint of each list, without those that allow no node. Of combinations with the same nodes and relation, which any
 * further hint changes in the same way, only the first is kept: at most 2^(nodes + 1) + 1 instead of the product of the lists.
 */
export function combineHints(lists: readonly (readonly MaskedHint[])[], allNodes: number): Combination[] {
  let combinations: Combination[] = [{ mask: allNodes, relation: relation.free }];
  for (const list of lists) combinations = combineWith(combinations, list, allNodes);
  return combinations;
}

function combineWith(combinations: readonly Combination[], list: readonly MaskedHint[], allNodes: number): Combination[] {
  const relations = Object.keys(relation).length;
  const seen = createNumberSet((allNodes + 1) * relations);
  const combined: Combination[] = [];
  for (const rest of combinations) {
    for (const added of list) {
      const mask = rest.mask & (added.mask ?? allNodes);
      if (mask === 0) continue;
      const related = rest.relation === relation.differ || !added.preferred ? relation.differ : relationOfPreferred(rest, added);
      if (seen.add(mask * relations + related)) combined.push({ mask, relation: related, last: { hint: added.hint, rest } });
    }
  }
  return combined;
}

function relationOfPreferred(rest: Combination, added: MaskedHint): Relation {
  if (added.mask === null) return rest.relation;
  return rest.relation === relation.free || rest.mask === added.mask ? relation.agree : relation.differ;
}

/** The hints of a combination, in the order of the lists. */
export function hintsOf(combination: Combination): TopologyHint[] {
  const hints: TopologyHint[] = [];
  for (let { last } = combination; last !== undefined; last = last.rest.last) hints.unshift(last.hint);
  return hints;
}
