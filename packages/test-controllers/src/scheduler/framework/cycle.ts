import { addPodTo, type NodeInfo } from './node-info.js';
import type { Misfit, SchedulerPlugin } from './plugin.js';
import type { PodInfo } from './pod-info.js';
import type { Snapshot } from './snapshot.js';

/** A misfit and the plugin that found it. */
export interface Rejection extends Misfit {
  plugin: string;
}

/** The rules that concern one pod, with what they computed for it. */
export interface Cycle {
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  readonly filters: readonly { plugin: SchedulerPlugin; state: unknown }[];
  /** Why no node is considered. */
  readonly rejection?: Rejection;
  /** The only nodes that are considered, and the plugins that chose them. */
  readonly nodeNames?: ReadonlySet<string>;
  readonly choosers: readonly string[];
}

/** Starts the cycle of a pod. */
export function beginCycle(pod: PodInfo, snapshot: Snapshot, plugins: readonly SchedulerPlugin[]): Cycle {
  const filters: { plugin: SchedulerPlugin; state: unknown }[] = [];
  const choosers: string[] = [];
  let nodeNames: ReadonlySet<string> | undefined;
  let rejection: Rejection | undefined;
  for (const plugin of plugins) {
    if (!plugin.preFilter) continue;
    const { state, misfit, nodeNames: chosen } = plugin.preFilter(pod, snapshot);
    if (misfit) rejection ??= { ...misfit, plugin: plugin.name };
    if (misfit && !misfit.helpedByPreemption) break;
    if (state !== undefined) filters.push({ plugin, state });
    if (!chosen) continue;
    choosers.push(plugin.name);
    nodeNames = nodeNames ? new Set([...nodeNames].filter((name) => chosen.has(name))) : chosen;
  }
  return { pod, snapshot, filters, choosers, ...(rejection && { rejection }), ...(nodeNames && { nodeNames }) };
}

/**
 * Why the pod of the cycle does not fit the node. A pod must fit with the pods of its priority or more that are nominated for the node, and
 * without them, because some rules need them and others forbid them.
 */
export function findMisfit(cycle: Cycle, node: NodeInfo): Rejection | undefined {
  const { pod, snapshot } = cycle;
  const nominated = snapshot.nominated.get(node.name)?.filter(({ key, priority }) => priority >= pod.priority && key !== pod.key) ?? [];
  if (nominated.length > 0) {
    for (const other of nominated) shift(cycle, node, other, 1);
    const misfit = runFilters(cycle, node);
    for (const other of nominated) shift(cycle, node, other, -1);
    if (misfit) return misfit;
  }
  return runFilters(cycle, node);
}

/** Adds a pod to the node and to the states of the cycle, or removes it with a count of -1: what if. The caller reverts it. */
export function shift({ filters }: Cycle, node: NodeInfo, other: PodInfo, count: 1 | -1): void {
  addPodTo(node, other, count);
  for (const { plugin, state } of filters) plugin.addPod?.(state, other, node, count);
}

function runFilters({ filters }: Cycle, node: NodeInfo): Rejection | undefined {
  for (const { plugin, state } of filters) {
    const misfit = plugin.filter?.(state, node);
    if (misfit) return { ...misfit, plugin: plugin.name };
  }
  return undefined;
}
