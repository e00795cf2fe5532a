import type { Pod } from '@nodeagent/api';
import { findPodCondition, isPodAvailable, isPodReady, isTerminalPhase, parseTime } from '@nodeagent/api/helpers';

/** Whether the pod is active: it has not terminated and is not being deleted. */
export function isActive({ metadata, status }: Pod): boolean {
  return !isTerminalPhase(status?.phase) && !metadata?.deletionTimestamp;
}

/** What a ReplicaSet counts of a pod. */
export interface PodState {
  pod: Pod;
  labels: Readonly<Record<string, string>>;
  isActive: boolean;
  /** Whether the pod is being deleted and has not terminated. */
  isTerminating: boolean;
  isReady: boolean;
  /** Of a ready pod, in milliseconds since 1970. */
  readySince: number | undefined;
  /** See {@link replaceableAt}. */
  replaceableAt: number | undefined;
}

export function podState(pod: Pod): PodState {
  const ready = findPodCondition(pod.status, 'Ready');
  const isReady = ready?.status === 'True';
  return {
    pod,
    labels: pod.metadata?.labels ?? {},
    isActive: isActive(pod),
    isTerminating: pod.metadata?.deletionTimestamp !== undefined && !isTerminalPhase(pod.status?.phase),
    isReady,
    readySince: isReady ? parseTime(ready.lastTransitionTime) : undefined,
    replaceableAt: replaceableAt(pod),
  };
}

/** When a ready pod becomes available; undefined if it is available, or is not ready. */
export function availableAt(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const readySince = isPodReady(pod) ? parseTime(findPodCondition(pod.status, 'Ready')?.lastTransitionTime) : undefined;
  return readySince === undefined || isPodAvailable(pod, minReadySeconds, now) ? undefined : readySince + minReadySeconds * 1_000;
}

const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Deletion order of pods: the smallest first. Kubernetes documentation, "ReplicaSet: Scaling a ReplicaSet". */
function worth(pod: Pod): number[] {
  const { metadata, spec, status } = pod;
  return [
    spec?.nodeName ? 1 : 0,
    phaseRank[status?.phase ?? ''] ?? 0,
    isPodReady(pod) ? 1 : 0,
    Number(metadata?.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0),
    -(parseTime(findPodCondition(status, 'Ready')?.lastTransitionTime) ?? 0),
    -Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    -(parseTime(metadata?.creationTimestamp) ?? 0),
  ];
}

/** The pods in the order in which a controller deletes them to scale down. */
export function byWorth(pods: readonly Pod[]): Pod[] {
  const ranked = pods.map((pod) => ({ pod, rank: worth(pod) }));
  ranked.sort((a, b) => a.rank.map((value, i) => value - (b.rank[i] ?? 0)).find((difference) => difference !== 0) ?? 0);
  return ranked.map(({ pod }) => pod);
}

/** Minimum time from the creation of a failed pod to its replacement. */
const replaceAfterMs = 10_000;

/**
 * When a failed pod may be replaced. A real controller does it at once, which takes time; here a pod that every node
 * rejects would be replaced endlessly at the same virtual time.
 */
export function replaceableAt({ metadata, status }: Pod): number | undefined {
  return status?.phase === 'Failed' ? (parseTime(metadata?.creationTimestamp) ?? 0) + replaceAfterMs : undefined;
}
