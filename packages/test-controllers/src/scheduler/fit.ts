import { findUntoleratedTaint, matchesNodeAffinity, Quantity } from '@nodeagent/api/helpers';
import type { Misfit } from './misfit.js';
import { type ClusterRoom, clash, type NodeRoom, type PodNeeds } from './node-room.js';
import { affinityProblem } from './pod-affinity.js';

const never = (reason: string): Misfit => ({ reasons: [reason], helpedByPreemption: false });

/** The first scheduler rule that rejects a pod on a node; undefined if the pod fits. */
export function findMisfit(needs: PodNeeds, room: NodeRoom, cluster: ClusterRoom): Misfit | undefined {
  const taint = findUntoleratedTaint(room.taints, needs.tolerations, ({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
  if (taint) {
    return never(taint.key === 'node.kubernetes.io/unschedulable' ? 'node(s) were unschedulable' : 'node(s) had untolerated taint(s)');
  }
  if (!matchesNodeAffinity(needs.pod, room.node)) return never("node(s) didn't match Pod's node affinity/selector");
  if (needs.hostPorts.some((port) => room.hostPorts.some((taken) => clash(port, taken)))) {
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], helpedByPreemption: true };
  }
  return findShortage(needs, room) ?? affinityProblem(needs, room, cluster);
}

function findShortage({ requests }: PodNeeds, { allocatable, requested, pods }: NodeRoom): Misfit | undefined {
  const reasons: string[] = [];
  let helpedByPreemption = true;
  const podLimit = allocatable.get('pods');
  if (podLimit && BigInt(pods.length + 1) > podLimit.value()) reasons.push('Too many pods');
  for (const [name, amount] of requests) {
    const total = allocatable.get(name) ?? Quantity.zero;
    if (amount.isZero || amount.add(requested.get(name) ?? Quantity.zero).cmp(total) <= 0) continue;
    reasons.push(`Insufficient ${name}`);
    if (amount.cmp(total) > 0) helpedByPreemption = false;
  }
  return reasons.length > 0 ? { reasons, helpedByPreemption } : undefined;
}
