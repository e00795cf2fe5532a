import { type Cycle, findMisfit, type Rejection } from './cycle.js';
import type { NodeInfo } from './node-info.js';

/** The result of filtering the nodes for a pod. */
export interface Feasibility {
  /** Nodes where the pod fits; of many only some are looked for. */
  feasible: NodeInfo[];
  /** Why it does not fit others that were checked. */
  rejections: Map<NodeInfo, Rejection>;
}

/** kube-scheduler looks for all feasible nodes of up to 100; of more, for a percentage that falls with the size of the cluster. */
function feasibleNodesToFind(nodes: number): number {
  return nodes < 100 ? nodes : Math.max(100, Math.trunc((nodes * Math.max(5, 50 - Math.trunc(nodes / 125))) / 100));
}

/**
 * Filters the nodes for the pod of a cycle. The node that the pod was nominated for comes first, and is enough. The search begins where that of
 * the previous pod ended.
 */
export function findFeasibleNodes(cycle: Cycle, { all = false }: { all?: boolean } = {}): Feasibility {
  const { pod, snapshot, nodeNames, rejection } = cycle;
  const rejections = new Map<NodeInfo, Rejection>();
  if (rejection) return { feasible: [], rejections };
  const nominated = pod.pod.status?.nominatedNodeName;
  const first = nominated && !all && snapshot.nodes.find(({ name }) => name === nominated);
  if (first && (nodeNames?.has(first.name) ?? true) && !findMisfit(cycle, first)) return { feasible: [first], rejections };
  const nodes = nodeNames ? snapshot.nodes.filter(({ name }) => nodeNames.has(name)) : snapshot.nodes;
  const wanted = all ? nodes.length : feasibleNodesToFind(nodes.length);
  const feasible: NodeInfo[] = [];
  let checked = 0;
  for (; checked < nodes.length && feasible.length < wanted; checked++) {
    const node = nodes[(snapshot.startAt + checked) % nodes.length] as NodeInfo;
    const misfit = findMisfit(cycle, node);
    if (misfit) rejections.set(node, misfit);
    else feasible.push(node);
  }
  if (!all && snapshot.nodes.length > 0) snapshot.startAt = (snapshot.startAt + checked) % snapshot.nodes.length;
  return { feasible, rejections };
}
