import type { NodeInfo } from './node-info.js';
import type { SchedulerPlugin } from './plugin.js';
import type { PodInfo } from './pod-info.js';
import type { Snapshot } from './snapshot.js';

/** The scores of one plugin, 0 to 100, in the order of the nodes. */
export interface PluginScores {
  plugin: string;
  weight: number;
  scores: readonly number[];
}

/** The scores of the feasible nodes by each plugin that has an opinion on the pod. */
export function scoreNodes(
  pod: PodInfo,
  snapshot: Snapshot,
  feasible: readonly NodeInfo[],
  plugins: readonly SchedulerPlugin[],
): PluginScores[] {
  const all: PluginScores[] = [];
  for (const plugin of plugins) {
    const state = plugin.preScore?.(pod, snapshot, feasible);
    if (state === undefined || !plugin.score) continue;
    const raw: number[] = [];
    for (const node of feasible) raw.push(plugin.score(state, node));
    all.push({ plugin: plugin.name, weight: plugin.weight ?? 1, scores: plugin.normalizeScore?.(raw, state, feasible) ?? raw });
  }
  return all;
}

/** The node with the highest sum; of equal ones that with the fewest pods, then the first by name. kube-scheduler picks one at random. */
export function chooseNode(feasible: readonly NodeInfo[], scores: readonly PluginScores[]): NodeInfo | undefined {
  let best: NodeInfo | undefined;
  let highest = Number.NEGATIVE_INFINITY;
  for (const [index, node] of feasible.entries()) {
    const total = totalScore(scores, index);
    const isBetter = total > highest || (total === highest && best && isFirst(node, best));
    if (isBetter) [best, highest] = [node, total];
  }
  return best;
}

export const totalScore = (scores: readonly PluginScores[], index: number): number =>
  scores.reduce((sum, { weight, scores: each }) => sum + weight * (each[index] ?? 0), 0);

const isFirst = (a: NodeInfo, b: NodeInfo) => a.pods.size - b.pods.size < 0 || (a.pods.size === b.pods.size && a.name < b.name);
