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
  score(pod, node) {
    const shares = scoredResources.flatMap((name) => {
      const total = node.allocatable.get(name) ?? 0;
      return total > 0 ? [Math.floor((100 * Math.max(0, total - used(name, node.scored, pod.scored))) / total)] : [];
    });
    return shares.length > 0 ? Math.floor(sum(shares) / shares.length) : 0;
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
  score({ requests }, { allocatable, requested }) {
    const balance = (added: Amounts) => {
      const shares = scoredResources.flatMap((name) => {
        const total = allocatable.get(name) ?? 0;
        return total > 0 ? [Math.min(1, used(name, requested, added) / total)] : [];
      });
      const deviation = shares.length === 2 ? Math.abs((shares[0] as number) - (shares[1] as number)) / 2 : 0;
      return Math.floor((1 - deviation) * 100);
    };
    return 50 + Math.trunc((50 + balance(requests) - balance(nothing)) / 2);
  },
};

const nothing: Amounts = new Map();
const used = (name: string, before: Amounts, added: Amounts) => (before.get(name) ?? 0) + (added.get(name) ?? 0);
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
