import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { Snapshot } from '../framework/snapshot.js';
import {
  constraintsOf,
  countSelected,
  countsNode,
  defaultConstraintsOf,
  hasAllKeys,
  hostnameLabel,
  type SpreadConstraint,
} from './spread-constraints.js';

/** What the scores of nodes follow from. */
export interface SpreadScores {
  pod: PodInfo;
  weighted: { constraint: SpreadConstraint; weight: number; counts: Map<string, number> }[];
  /** Nodes that lack the label of a constraint. */
  ignored: ReadonlySet<NodeInfo>;
}

/** Counts the selected pods of each domain for the pod's preferred constraints, by default those of the scheduler. */
export function spreadScores(pod: PodInfo, { nodes, objects }: Snapshot, feasible: readonly NodeInfo[]): SpreadScores | undefined {
  const hasOwn = Boolean(pod.pod.spec?.topologySpreadConstraints?.length);
  const constraints = hasOwn ? constraintsOf(pod, 'ScheduleAnyway') : defaultConstraintsOf(pod, objects);
  if (constraints.length === 0) return undefined;
  const isIgnored = (node: NodeInfo) => hasOwn && !hasAllKeys(node, constraints);
  const ignored = new Set(feasible.filter(isIgnored));
  const scored = feasible.filter((node) => !ignored.has(node));
  const weighted = constraints.map((constraint) => {
    const isByNode = constraint.topologyKey === hostnameLabel;
    const counts = new Map(isByNode ? [] : scored.map((node) => [domainOf(node, constraint), 0]));
    for (const node of isByNode ? [] : nodes) {
      const count = counts.get(domainOf(node, constraint));
      if (count === undefined || isIgnored(node) || !countsNode(pod, node, constraint)) continue;
      counts.set(domainOf(node, constraint), count + countSelected(node, pod, constraint));
    }
    return { constraint, counts, weight: Math.log((isByNode ? scored.length : counts.size) + 2) };
  });
  return { pod, weighted, ignored };
}

const domainOf = ({ labels }: NodeInfo, { topologyKey }: SpreadConstraint): string => labels[topologyKey] ?? '';

/** The weighted number of selected pods in the node's domains: the fewer the better. */
export function scoreSpread({ pod, weighted, ignored }: SpreadScores, node: NodeInfo): number {
  if (ignored.has(node)) return 0;
  let score = 0;
  for (const { constraint, weight, counts } of weighted) {
    if (node.labels[constraint.topologyKey] === undefined) continue;
    const count =
      constraint.topologyKey === hostnameLabel ? countSelected(node, pod, constraint) : (counts.get(domainOf(node, constraint)) ?? 0);
    score += count * weight + constraint.maxSkew - 1;
  }
  return Math.round(score);
}

/** The fewest pods give 100; nodes without the labels get 0. */
export function normalizeSpreadScores(scores: readonly number[], { ignored }: SpreadScores, feasible: readonly NodeInfo[]): number[] {
  const counted = scores.filter((_, index) => !ignored.has(feasible[index] as NodeInfo));
  const [lowest, highest] = [Math.min(...counted), Math.max(0, ...counted)];
  return scores.map((score, index) => {
    if (ignored.has(feasible[index] as NodeInfo)) return 0;
    return highest === 0 ? 100 : Math.trunc((100 * (highest + lowest - score)) / highest);
  });
}
