import type { Pod } from '@nodeagent/api';
import type { ClusterBook } from './cluster-book.js';
import { beginCycle, type Cycle, type Rejection } from './framework/cycle.js';
import { findFeasibleNodes } from './framework/feasible-nodes.js';
import type { NodeInfo } from './framework/node-info.js';
import type { SchedulerPlugin } from './framework/plugin.js';
import { podInfoOf } from './framework/pod-info.js';
import { findVictims, notHelpful } from './framework/preempt.js';
import { chooseNode, type PluginScores, scoreNodes, totalScore } from './framework/score-nodes.js';
import { bookOf, type SchedulingCluster } from './schedule-once.js';
import { schedulePod } from './schedule-pod.js';

/** What the scheduler finds about one node for one pod. */
export interface NodeExplanation {
  name: string;
  fits: boolean;
  /** Why the pod does not fit, in the scheduler's words, and which plugin rejected it. */
  reasons: string[];
  plugin?: string;
  /** The pods, `namespace/name`, whose end would make the pod fit. */
  victims?: string[];
  /** The sum of the weighted scores of a node that fits, and its parts: each is 0 to 100. */
  score?: number;
  scores?: { plugin: string; weight: number; score: number }[];
}

/** Why a pod gets its node, or none. */
export interface SchedulingExplanation {
  /** One sentence for people. */
  sentence: string;
  /**
   * `bound`: the pod has a node; `schedulable`: it gets one; `unschedulable`: no node fits; `gated`: it has scheduling gates; `ignored`: it
   * is of another scheduler or held back.
   */
  state: 'bound' | 'schedulable' | 'unschedulable' | 'gated' | 'ignored';
  /** The node of a bound pod, or the one that the pod gets. */
  nodeName?: string;
  /** Of a pod that fits no node: the message of the event `FailedScheduling`. */
  message?: string;
  /** All nodes, those with the highest scores first, then those where the pod does not fit. */
  nodes: NodeExplanation[];
}

export interface ExplainSchedulingInput extends SchedulingCluster {
  pod: Pod;
  /** Default: `default-scheduler`. */
  schedulerName?: string;
}

/**
 * Explains each node to a pod: why it does not fit, or its score. A bound pod is explained as if it were scheduled now, so that its node may
 * have lost its advantage since.
 */
export function explainScheduling({ pod, schedulerName, ...cluster }: ExplainSchedulingInput): SchedulingExplanation {
  const { book, plugins } = bookOf(cluster);
  return explainIn(book, plugins, pod, schedulerName);
}

/** {@link explainScheduling} in a cluster that is already known; it is left unchanged except for the explained pod. */
export function explainIn(
  book: ClusterBook,
  plugins: readonly SchedulerPlugin[],
  pod: Pod,
  schedulerName = 'default-scheduler',
): SchedulingExplanation {
  const { nodeName, ...spec } = pod.spec ?? { containers: [] };
  const { nominatedNodeName: _, ...status } = pod.status ?? {};
  const info = podInfoOf({ ...pod, spec, status });
  if (nodeName) book.setPod(nodeName, info.key, undefined);
  book.nominate(info.key, undefined, undefined);
  const cycle = beginCycle(info, book, plugins);
  const { feasible, rejections } = findFeasibleNodes(cycle, { all: true });
  const scores = scoreNodes(info, book, feasible, plugins);
  const nodes = [
    ...feasible.map((node, index) => explainFit(node, scores, index)).sort((a, b) => (b.score ?? 0) - (a.score ?? 0)),
    ...book.nodes.filter((node) => !feasible.includes(node)).map((node) => explainMisfit(cycle, node, rejections)),
  ];
  const held = whyHeld(pod, plugins, book, schedulerName);
  const name = `pod ${info.key}`;
  if (nodeName) return { sentence: `${name} is on ${nodeName}${comparison(nodes, nodeName)}`, state: 'bound', nodeName, nodes };
  if (held) return { ...held, sentence: `${name} ${held.sentence}`, nodes };
  const chosen = chooseNode(feasible, scores)?.name;
  if (chosen) return { sentence: `${name} gets ${chosen}${comparison(nodes, chosen)}`, state: 'schedulable', nodeName: chosen, nodes };
  const { message = '' } = schedulePod(info, book, plugins) as { message?: string };
  return { sentence: `${name} is unschedulable: ${message}`, state: 'unschedulable', message, nodes };
}

/** Why the scheduler does not try the pod. */
function whyHeld(pod: Pod, plugins: readonly SchedulerPlugin[], { objects }: ClusterBook, schedulerName: string) {
  const { schedulingGates: gates = [], schedulerName: other = schedulerName } = pod.spec ?? {};
  if (gates.length > 0)
    return { state: 'gated', sentence: `waits for its scheduling gates: ${gates.map(({ name }) => name).join(', ')}` } as const;
  if (other !== schedulerName) return { state: 'ignored', sentence: `waits for the scheduler ${other}` } as const;
  const why = plugins.map((plugin) => plugin.preEnqueue?.(pod, objects)).find((text) => text !== undefined);
  return why === undefined ? undefined : ({ state: 'ignored', sentence: `is not tried: ${why}` } as const);
}

function explainFit({ name }: NodeInfo, scores: readonly PluginScores[], index: number): NodeExplanation {
  const parts = scores.map(({ plugin, weight, scores: each }) => ({ plugin, weight, score: each[index] ?? 0 }));
  return { name, fits: true, reasons: [], score: totalScore(scores, index), scores: parts };
}

function explainMisfit(cycle: Cycle, node: NodeInfo, rejections: ReadonlyMap<NodeInfo, Rejection>): NodeExplanation {
  const { rejection = rejections.get(node), choosers } = cycle;
  if (!rejection) return { name: node.name, fits: false, reasons: [`node(s) didn't satisfy plugin(s) [${choosers.join(' ')}]`] };
  const { reasons, plugin, helpedByPreemption } = rejection;
  const found = helpedByPreemption ? findVictims(cycle, node) : [notHelpful];
  return { name: node.name, fits: false, reasons, plugin, ...(!Array.isArray(found) && { victims: found.victims.map(({ key }) => key) }) };
}

/** How a node compares to the best other one, and which plugin makes the largest difference. */
function comparison(nodes: readonly NodeExplanation[], nodeName: string): string {
  const fitting = nodes.filter(({ fits }) => fits);
  const own = fitting.find(({ name }) => name === nodeName);
  if (!own) return ', where it would not fit now';
  const other = fitting.find(({ name }) => name !== nodeName);
  if (!other) return ', the only node where it fits';
  const scores = `: its score is ${own.score}, that of ${other.name} ${other.score}`;
  const isBehind = (own.score ?? 0) < (other.score ?? 0);
  const differences = (own.scores ?? []).map(({ plugin, weight, score }, index) => {
    const its = other.scores?.[index]?.score ?? 0;
    return { plugin, text: `${plugin} ${score} to ${its}`, by: weight * (isBehind ? its - score : score - its) };
  });
  const [largest] = differences.sort((a, b) => b.by - a.by);
  return largest && largest.by > 0 ? `${scores} (${largest.text})` : scores;
}
