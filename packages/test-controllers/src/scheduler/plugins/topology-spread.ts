import type { SchedulerPlugin } from '../framework/plugin.js';
import type { PodInfo } from '../framework/pod-info.js';
import { resolvable, unresolvable } from './rejections.js';
import { constraintsOf, countSelected, countsNode, hasAllKeys, type SpreadConstraint } from './spread-constraints.js';
import { normalizeSpreadScores, type SpreadScores, scoreSpread, spreadScores } from './spread-scores.js';

/** One required constraint, with the number of selected pods of each domain. */
interface Spread {
  constraint: SpreadConstraint;
  counts: Map<string, number>;
  /** The smallest count; undefined after a change. */
  smallest: number | undefined;
  /** 1 if the pod selects itself. */
  own: number;
}

interface SpreadState {
  pod: PodInfo;
  spreads: Spread[];
}

const missingLabel = unresolvable("node(s) didn't match pod topology spread constraints (missing required label)");
const skewed = resolvable("node(s) didn't match pod topology spread constraints");

/** Pods of one selector are spread over domains: Kubernetes documentation, "Pod Topology Spread Constraints". */
export const podTopologySpread: SchedulerPlugin<SpreadState, SpreadScores> = {
  name: 'PodTopologySpread',
  weight: 2,
  preFilter(pod, { nodes }) {
    const constraints = constraintsOf(pod, 'DoNotSchedule');
    if (constraints.length === 0) return {};
    const eligible = nodes.filter((node) => hasAllKeys(node, constraints));
    const spreads = constraints.map((constraint): Spread => {
      const counts = new Map<string, number>();
      for (const node of eligible) {
        if (!countsNode(pod, node, constraint)) continue;
        const domain = node.labels[constraint.topologyKey] as string;
        counts.set(domain, (counts.get(domain) ?? 0) + countSelected(node, pod, constraint));
      }
      return { constraint, counts, smallest: undefined, own: constraint.matches(pod.labels) ? 1 : 0 };
    });
    return { state: { pod, spreads } };
  },
  filter({ spreads }, { labels }) {
    for (const spread of spreads) {
      const domain = labels[spread.constraint.topologyKey];
      if (domain === undefined) return missingLabel;
      const count = (spread.counts.get(domain) ?? 0) + spread.own;
      if (count - smallestOf(spread) > spread.constraint.maxSkew) return skewed;
    }
    return undefined;
  },
  addPod({ pod, spreads }, other, node, count) {
    const constraints = spreads.map(({ constraint }) => constraint);
    if (other.namespace !== pod.namespace || !hasAllKeys(node, constraints)) return;
    for (const spread of spreads) {
      const { constraint, counts } = spread;
      if (!constraint.matches(other.labels) || !countsNode(pod, node, constraint)) continue;
      const domain = node.labels[constraint.topologyKey] as string;
      counts.set(domain, (counts.get(domain) ?? 0) + count);
      spread.smallest = undefined;
    }
  },
  preScore: spreadScores,
  score: scoreSpread,
  normalizeScore: normalizeSpreadScores,
  helpedBy: ['nodeAdded', 'nodeChanged', 'podAdded', 'podChanged', 'podRemoved'],
};

function smallestOf(spread: Spread): number {
  const { constraint, counts } = spread;
  if (counts.size < constraint.minDomains) return 0;
  spread.smallest ??= Math.min(...counts.values());
  return spread.smallest;
}
