import type { NodeInfo } from '../framework/node-info.js';
import type { Misfit, SchedulerPlugin } from '../framework/plugin.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { Amounts } from '../framework/resources.js';

/** The resources that count when nodes are scored. */
const scoredResources = ['cpu', 'memory'];

/** The node has room for the pod; the more it has, the better. */
export const resourcesFit: SchedulerPlugin<PodInfo, PodInfo> = {
  name: 'NodeResourcesFit',
  preFilter: (pod) => ({ state: pod }),
  filter: findShortage,
  preScore: (pod) => pod,
  score({ scored: added }, { allocatable, scored }) {
    let [sum, count] = [0, 0];
    for (const name of scoredResources) {
      const total = allocatable.get(name) ?? 0;
      if (total === 0) continue;
      sum += Math.floor((100 * Math.max(0, total - inUse(name, scored, added))) / total);
      count++;
    }
    return count > 0 ? Math.floor(sum / count) : 0;
  },
  helpedBy: ['nodeAdded', 'nodeChanged', 'podChanged', 'podRemoved'],
};

function findShortage({ requests }: PodInfo, { allocatable, requested, pods }: NodeInfo): Misfit | undefined {
  let misfit: Misfit | undefined;
  if (pods.size + 1 > (allocatable.get('pods') ?? Number.POSITIVE_INFINITY))
    misfit = { reasons: ['Too many pods'], helpedByPreemption: true };
  for (const [name, amount] of requests) {
    const total = allocatable.get(name) ?? 0;
    if (amount === 0 || amount + (requested.get(name) ?? 0) <= total) continue;
    misfit ??= { reasons: [], helpedByPreemption: true };
    misfit.reasons.push(`Insufficient ${name}`);
    if (amount > total) misfit.helpedByPreemption = false;
  }
  return misfit;
}

/** The pod makes the shares of a node's resources in use more equal. Pods without requests are not scored. */
export const balancedAllocation: SchedulerPlugin<never, PodInfo> = {
  name: 'NodeResourcesBalancedAllocation',
  preScore: (pod) => (scoredResources.some((name) => pod.requests.get(name)) ? pod : undefined),
  score: ({ requests }, { allocatable, requested }) =>
    50 + Math.trunc((50 + balance(allocatable, requested, requests) - balance(allocatable, requested, nothing)) / 2),
};

/** 100 if the shares of CPU and memory in use are equal, 50 if one is used up and the other free. */
function balance(allocatable: Amounts, requested: Amounts, added: Amounts): number {
  const [cpu, memory] = [shareOf('cpu', allocatable, requested, added), shareOf('memory', allocatable, requested, added)];
  return cpu === undefined || memory === undefined ? 100 : Math.floor((1 - Math.abs(cpu - memory) / 2) * 100);
}

function shareOf(name: string, allocatable: Amounts, requested: Amounts, added: Amounts): number | undefined {
  const total = allocatable.get(name) ?? 0;
  return total > 0 ? Math.min(1, inUse(name, requested, added) / total) : undefined;
}

const nothing: Amounts = new Map();
const inUse = (name: string, before: Amounts, added: Amounts) => (before.get(name) ?? 0) + (added.get(name) ?? 0);
