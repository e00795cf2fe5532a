import type { ContainerStatus, Pod } from '@nodeagent/api';
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

/** What decides which pods are deleted first, beside the pods. */
export interface DeletionContext {
  /** Without it ages count exactly and costs do not, as for a Job. */
  now?: number;
  /** Active pods that serve the same purpose: a pod whose node has more of them is deleted earlier. Default: none. */
  related?: readonly Pod[];
}

/**
 * The pods in the order in which a controller deletes them to scale down. A ReplicaSet compares ages in powers of two, so that not all
 * pods of one rollout are deleted together. Kubernetes documentation, "ReplicaSet: Scaling a ReplicaSet".
 */
export function byWorth(pods: readonly Pod[], { now, related = [] }: DeletionContext = {}): Pod[] {
  const neighbours = new Map<string | undefined, number>();
  for (const { spec } of related.filter(isActive)) neighbours.set(spec?.nodeName, (neighbours.get(spec?.nodeName) ?? 0) + 1);
  const ranked = pods.map((pod) => ({
    pod,
    uid: pod.metadata?.uid ?? '',
    ...worthOf(pod, neighbours.get(pod.spec?.nodeName) ?? 0, now !== undefined),
  }));
  ranked.sort((a, b) => {
    const youngest = (x: number, y: number): number => {
      if (x === y) return 0;
      return now === undefined ? y - x : ageClass(x, now) - ageClass(y, now) || (a.uid < b.uid ? -1 : 1);
    };
    const first = (x: readonly number[], y: readonly number[]) =>
      x.map((value, i) => value - (y[i] ?? 0)).find((difference) => difference !== 0);
    const since = a.readySince !== undefined && b.readySince !== undefined ? youngest(a.readySince, b.readySince) : 0;
    return (first(a.state, b.state) ?? since) || (first(a.restarts, b.restarts) ?? youngest(a.createdAt, b.createdAt));
  });
  return ranked.map(({ pod }) => pod);
}

/** The smallest first. */
function worthOf(pod: Pod, neighbours: number, withCost: boolean) {
  const { metadata, spec, status } = pod;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name);
  const fewest = (statuses: readonly ContainerStatus[] = []) => -Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
  const isReady = isPodReady(pod);
  return {
    state: [
      spec?.nodeName ? 1 : 0,
      phaseRank[status?.phase ?? ''] ?? 0,
      isReady ? 1 : 0,
      withCost ? deletionCost(metadata?.annotations) : 0,
      -neighbours,
    ],
    readySince: isReady ? (parseTime(findPodCondition(status, 'Ready')?.lastTransitionTime) ?? Infinity) : undefined,
    restarts: [fewest(status?.containerStatuses), fewest(status?.initContainerStatuses?.filter(({ name }) => sidecars.includes(name)))],
    createdAt: parseTime(metadata?.creationTimestamp) ?? Infinity,
  };
}

/** An integer; another value counts as 0. */
function deletionCost(annotations: Readonly<Record<string, string>> = {}): number {
  const cost = annotations['controller.kubernetes.io/pod-deletion-cost'] ?? '';
  return /^-?(0|[1-9]\d*)$/.test(cost) ? Number(cost) : 0;
}

/** The logarithm of an age in nanoseconds, of a time in milliseconds since 1970. */
function ageClass(time: number, now: number): number {
  const age = (now - time) * 1e6;
  return age > 0 ? Math.floor(Math.log2(age)) : -1;
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
