import type { Node, NodeCondition, PodStatus, Taint } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';

/** The node's condition of this type. */
export function nodeCondition({ status }: Pick<Node, 'status'>, type: string): NodeCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The conditions that a kubelet reports; NetworkUnavailable is the network plugin's. */
const kubeletConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/**
 * The conditions of a node without heartbeats; undefined if all are Unknown already. Kubernetes documentation, "Node Status: Conditions".
 */
export function unknownConditions(node: Pick<Node, 'metadata' | 'status'>, now: number): NodeCondition[] | undefined {
  const before = node.status?.conditions ?? [];
  const time = formatTime(now);
  const stopped = before.map((condition): NodeCondition => {
    if (!kubeletConditions.includes(condition.type) || condition.status === 'Unknown') return condition;
    const message = 'Kubelet stopped posting node status.';
    return { ...condition, status: 'Unknown', reason: 'NodeStatusUnknown', message, lastTransitionTime: time };
  });
  const never = kubeletConditions
    .filter((type) => !before.some((condition) => condition.type === type))
    .map((type) => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: node.metadata?.creationTimestamp ?? null,
      lastTransitionTime: time,
    }));
  const isSame = never.length === 0 && stopped.every((condition, index) => condition === before[index]);
  return isSame ? undefined : [...stopped, ...never];
}

/** The status of a pod on a node that stopped its heartbeats; undefined if the pod is not ready already. */
export function notReadyStatus(status: PodStatus | undefined, now: number): PodStatus | undefined {
  const conditions = status?.conditions ?? [];
  if (!conditions.some(({ type, status: value }) => type === 'Ready' && value !== 'False')) return undefined;
  const lastTransitionTime = formatTime(now);
  return {
    ...status,
    conditions: conditions.map((each) => (each.type === 'Ready' ? { ...each, status: 'False', lastTransitionTime } : each)),
  };
}

const keyOf = ({ key, effect }: Taint) => `${key}:${effect}`;

/** The taints with those of `add` and without those of `remove`; undefined if that changes nothing. New taints get the time. */
export function changedTaints(
  taints: readonly Taint[] | undefined,
  { add = [], remove = [] }: { add?: readonly Taint[]; remove?: readonly Taint[] },
  now: number,
): Taint[] | undefined {
  const present = taints ?? [];
  const removed = new Set(remove.map(keyOf));
  const kept = present.filter((taint) => !removed.has(keyOf(taint)));
  const known = new Set(kept.map(keyOf));
  const added = add.filter((taint) => !known.has(keyOf(taint))).map((taint) => ({ ...taint, timeAdded: formatTime(now) }));
  return kept.length === present.length && added.length === 0 ? undefined : [...kept, ...added];
}
