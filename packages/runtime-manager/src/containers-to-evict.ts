import type { RuntimeContainerState } from '@nodeagent/api';

/** Which dead containers may stay. */
export interface ContainerGcPolicy {
  /** Milliseconds since its creation from which a container may be removed. */
  minAgeMs: number;
  /** Dead instances to keep of each container; negative for all. */
  maxPerPodContainer: number;
  /** Dead containers to keep on the node; negative for no limit. */
  maxContainers: number;
}

/** Which pods are over, as asked by garbage collection. */
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
  /** Every source has told its pods: a pod that nobody knows is gone. */
  allSourcesReady: boolean;
  /** Also takes pods that have stopped but are not deleted. */
  evictNonDeletedPods: boolean;
  pods: PodRemovalState;
}

/** A container to remove, and why. */
export interface ContainerToEvict {
  id: string;
  name: string;
  podUid: string;
  /** It may still run: it has to be stopped first. */
  kill: boolean;
  reason: string;
}

/**
 * Which dead containers to remove, in this order: those of pods that are over, then per container the oldest beyond the policy's
 * number, then the oldest of the node. Kubernetes documentation, "Garbage Collection: container garbage collection".
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
      if (!isPodOver(input, unit[0]?.podUid ?? '')) continue;
      evictOldest(unit, 0, 'its pod is over');
      units.delete(key);
    }
  }
  if (policy.maxPerPodContainer >= 0) {
    keepPerUnit(policy.maxPerPodContainer, `there are ${policy.maxPerPodContainer} newer dead instances of it`);
  }
  if (policy.maxContainers >= 0 && count() > policy.maxContainers) {
    const share = Math.max(1, Math.floor(policy.maxContainers / units.size));
    keepPerUnit(share, `the node has more than ${policy.maxContainers} dead containers`);
    const rest = [...units.values()].flat().sort(newestFirst);
    evictOldest(rest, Math.min(rest.length, policy.maxContainers), `the node has more than ${policy.maxContainers} dead containers`);
  }
  return evicted;
}

/** Dead containers old enough, by pod and name, the newest first. */
function evictUnits({ containers, policy, now }: ContainerGcInput): Map<string, GcContainer[]> {
  const newestCandidate = BigInt(Math.trunc(now - policy.minAgeMs)) * 1_000_000n;
  const units = new Map<string, GcContainer[]>();
  for (const container of containers) {
    if (container.state === 'running' || container.createdAt > newestCandidate) continue;
    const key = `${container.podUid}/${container.name}`;
    units.set(key, [...(units.get(key) ?? []), container]);
  }
  for (const unit of units.values()) unit.sort(newestFirst);
  return units;
}

export function newestFirst(a: { createdAt: bigint }, b: { createdAt: bigint }): number {
  return a.createdAt === b.createdAt ? 0 : a.createdAt > b.createdAt ? -1 : 1;
}

/** Whether garbage collection treats the pod as over. */
export function isPodOver({ pods, evictNonDeletedPods }: Pick<ContainerGcInput, 'pods' | 'evictNonDeletedPods'>, uid: string): boolean {
  return pods.shouldPodContentBeRemoved(uid) || (evictNonDeletedPods && pods.shouldPodRuntimeBeRemoved(uid));
}
