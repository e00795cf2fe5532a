import type { RuntimeContainerState } from '@nodeagent/api';

/** Which dead containers are kept. */
export interface ContainerGcPolicy {
  /** Minimum age of a container to be removed, in milliseconds since its creation. */
  minAgeMs: number;
  /** Dead instances to keep of each container; negative for all. */
  maxPerPodContainer: number;
  /** Dead containers to keep on the node; negative for no limit. */
  maxContainers: number;
}

/** Which pods have terminated: see `PodStateProvider`. */
export interface PodRemovalState {
  shouldPodContentBeRemoved(uid: string): boolean;
  shouldPodRuntimeBeRemoved(uid: string): boolean;
}

export interface GcContainer {
  id: string;
  podUid: string;
  name: string;
  state: RuntimeContainerState;
  /** Nanoseconds since 1970. */
  createdAt: bigint;
}

export interface ContainerGcInput {
  containers: readonly GcContainer[];
  policy: ContainerGcPolicy;
  /** Clock time in milliseconds. */
  now: number;
  /** Every pod source has reported: a pod that is unknown has been deleted. */
  allSourcesReady: boolean;
  /** Whether containers of terminated pods that are not deleted are removed too. */
  evictNonDeletedPods: boolean;
  pods: PodRemovalState;
}

/** A container to remove, and why. */
export interface ContainerToEvict {
  id: string;
  name: string;
  podUid: string;
  /** The container may still run: stop it first. */
  kill: boolean;
  reason: string;
}

/**
 * Which dead containers to remove, in this order: those of terminated pods, then the oldest instances beyond `maxPerPodContainer`, then
 * the oldest on the node beyond `maxContainers`. Kubernetes documentation, "Garbage Collection: container garbage collection".
 */
export function containersToEvict(input: ContainerGcInput): ContainerToEvict[] {
  const { policy, allSourcesReady } = input;
  const units = evictUnits(input);
  const evicted: ContainerToEvict[] = [];
  const evictOldest = (unit: readonly GcContainer[], keep: number, reason: string): GcContainer[] => {
    for (const container of unit.slice(keep).reverse()) {
      const { id, name, podUid, state } = container;
      evicted.push({ id, name, podUid, kill: state === 'unknown', reason });
    }
    return unit.slice(0, keep);
  };
  const keepPerUnit = (keep: number, reason: string) => {
    for (const [key, unit] of units) if (unit.length > keep) units.set(key, evictOldest(unit, keep, reason));
  };
  const count = () => [...units.values()].reduce((sum, unit) => sum + unit.length, 0);

  if (allSourcesReady) {
    for (const [key, unit] of units) {
      if (!isPodRemovable(input, unit[0]?.podUid ?? '')) continue;
      evictOldest(unit, 0, 'its pod has terminated');
      units.delete(key);
    }
  }
  if (policy.maxPerPodContainer >= 0) {
    keepPerUnit(policy.maxPerPodContainer, `it has ${policy.maxPerPodContainer} newer dead instances`);
  }
  if (policy.maxContainers >= 0 && count() > policy.maxContainers) {
    const share = Math.max(1, Math.floor(policy.maxContainers / units.size));
    keepPerUnit(share, `the node has more than ${policy.maxContainers} dead containers`);
    const rest = [...units.values()].flat().sort(newestFirst);
    evictOldest(rest, Math.min(rest.length, policy.maxContainers), `the node has more than ${policy.maxContainers} dead containers`);
  }
  return evicted;
}

/** Dead containers of at least the minimum age, by pod and name, the newest first. */
function evictUnits({ containers, policy, now }: ContainerGcInput): Map<string, GcContainer[]> {
  const newestCandidate = BigInt(Math.trunc(now - policy.minAgeMs)) * 1_000_000n;
  const units = new Map<string, GcContainer[]>();
  for (const container of containers) {
    if (container.state === 'running' || container.createdAt > newestCandidate) continue;
    const key = `${container.podUid}/${container.name}`;
    const unit = units.get(key) ?? [];
    if (unit.push(container) === 1) units.set(key, unit);
  }
  for (const unit of units.values()) unit.sort(newestFirst);
  return units;
}

export function newestFirst(a: { createdAt: bigint }, b: { createdAt: bigint }): number {
  return a.createdAt === b.createdAt ? 0 : a.createdAt > b.createdAt ? -1 : 1;
}

/** Whether garbage collection removes all dead containers and sandboxes of the pod. */
export function isPodRemovable(
  { pods, evictNonDeletedPods }: Pick<ContainerGcInput, 'pods' | 'evictNonDeletedPods'>,
  uid: string,
): boolean {
  return pods.shouldPodContentBeRemoved(uid) || (evictNonDeletedPods && pods.shouldPodRuntimeBeRemoved(uid));
}
