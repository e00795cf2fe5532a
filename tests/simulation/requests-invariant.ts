import type { Pod } from '@nodeagent/api';
import { isMirrorPod, podUid } from '@nodeagent/api/helpers';
import type { PodView } from '@nodeagent/core/node';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { type AmountOf, neededBy, requestOf } from './effective-requests.js';
import { isRejected } from './rejected.js';
import type { Invariant, Memory, Snapshot } from './snapshot.js';

/** UIDs of the pods that the agent admitted, or got deleted. An admission can wait for a device; the pod's worker gets the pod after it. */
export const admittedOf = (views: readonly PodView[]): Set<string> =>
  new Set(views.filter(({ status, state }) => state !== undefined && !isRejected(status)).map(({ pod }) => podUid(pod)));

const cpuOf = requestOf('cpu');
const memoryOf = requestOf('memory');

/**
 * The requests of the admitted pods that have a running container never exceed what the node can allocate. A pod that terminates counts until
 * its last container has stopped. As in a kubelet, a pod does not count that was removed from its source, or that a restarted agent does not
 * know yet or rejects: it admits static pods before it gets the others. Nor does a preempted pod that still runs: if its stop exceeds the timeout,
 * the critical pod is admitted.
 */
export const requests: Invariant = (snapshot, { podsOfAgent }) => {
  const running = runningByPod(snapshot);
  const specs = new Map([...snapshot.statics, ...snapshot.pods.filter((pod) => !isMirrorPod(pod))].map((pod) => [podUid(pod), pod]));
  addNewPods(podsOfAgent, snapshot, specs);
  const pods = [...podsOfAgent.deletedBefore].flatMap(([uid, isDeletedBefore]) => {
    const pod = specs.get(uid);
    const containers = running.get(uid);
    if (pod === undefined || containers === undefined || !snapshot.admitted.has(uid) || snapshot.history.preemptedByAgent.has(uid))
      return [];
    return [{ pod, isDeletedBefore, cpu: neededBy(pod, cpuInUse(pod, containers)), memory: neededBy(pod, memoryOf) }];
  });
  return (['cpu', 'memory'] as const).flatMap((resource) => {
    // A pod that requests nothing is admitted on a node that has nothing left.
    const last = pods.findLastIndex((pod) => !pod.isDeletedBefore && pod[resource] > 0);
    const counted = pods.slice(0, last + 1);
    const needed = counted.reduce((sum, pod) => sum + pod[resource], 0);
    if (needed <= snapshot.allocatable[resource]) return [];
    const names = counted.map(({ pod }) => pod.metadata?.name).join(' ');
    return [`the running pods request ${needed} thousandths of ${resource}, the node has ${snapshot.allocatable[resource]}: ${names}`];
  });
};

/**
 * Adds the pods that the agent got since the previous snapshot, in its order: static pods, then by creation. It does not admit pods that are
 * deleted already when it gets them, as those of a previous agent: they count for the admission of the pods after them, not for that of the pods
 * before.
 */
function addNewPods(podsOfAgent: Memory['podsOfAgent'], { admitted, history }: Snapshot, specs: ReadonlyMap<string, Pod>): void {
  if (podsOfAgent.era !== history.era) {
    podsOfAgent.era = history.era;
    podsOfAgent.deletedBefore.clear();
  }
  const createdAt = (pod: Pod) => Date.parse(pod.metadata?.creationTimestamp ?? '') || 0;
  const added = [...specs.values()].filter((pod) => admitted.has(podUid(pod)) && !podsOfAgent.deletedBefore.has(podUid(pod)));
  for (const pod of added.sort((a, b) => createdAt(a) - createdAt(b))) {
    podsOfAgent.deletedBefore.set(podUid(pod), history.removals.has(podUid(pod)));
  }
}

/** The running containers, except those whose start completed after the agent had stopped their sandbox: it takes their pod for terminated. */
function runningByPod({ containers, history }: Snapshot): Map<string, MemoryContainer[]> {
  const running = new Map<string, MemoryContainer[]>();
  for (const container of containers) {
    if (container.state !== 'running' || history.createdAtStop.has(container.id)) continue;
    running.set(container.podUid, [...(running.get(container.podUid) ?? []), container]);
  }
  return running;
}

/** The request of a resized pod may be granted later than its spec changes: it is at least the lower one of the spec and of the running container. */
function cpuInUse(pod: Pod, running: readonly MemoryContainer[]): AmountOf {
  if ((pod.metadata?.generation ?? 1) === 1) return cpuOf;
  return (container) => {
    const shares = running.find(({ name }) => name === container.name)?.resources?.cpuShares;
    return shares === undefined ? 0 : Math.min(cpuOf(container), milliCpus(shares));
  };
}

/** The shares of a container without a request. */
const minimumShares = 2n;

/** The CPU request that the runtime got as shares, rounded down. */
const milliCpus = (shares: bigint) => (shares <= minimumShares ? 0 : Math.floor((Number(shares) * 1000) / 1024));
