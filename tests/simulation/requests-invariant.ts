import { isMirrorPod, type Pod, podUid } from '@nodeagent/api';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { type AmountOf, neededBy, requestOf } from './effective-requests.js';
import type { Invariant, Snapshot } from './snapshot.js';

const cpuOf = requestOf('cpu');
const memoryOf = requestOf('memory');

/**
 * The requests of the admitted pods that have a running container never exceed what the node can allocate. A pod that terminates counts until
 * its last container has stopped. As in a kubelet, a pod does not count that was removed from its source, or that a restarted agent does not
 * know yet or rejects: it admits static pods before it gets the others. Nor does a preempted pod that still runs: if its stop exceeds the timeout,
 * the critical pod is admitted.
 */
export const requests: Invariant = (snapshot) => {
  const running = runningByPod(snapshot);
  const pods = [...snapshot.pods.filter((pod) => !isMirrorPod(pod)), ...snapshot.statics].filter(
    (pod) => running.has(podUid(pod)) && snapshot.admitted.has(podUid(pod)) && !snapshot.history.preemptedByAgent.has(podUid(pod)),
  );
  const needed = {
    cpu: pods.reduce((sum, pod) => sum + neededBy(pod, cpuInUse(pod, running.get(podUid(pod)) ?? [])), 0),
    memory: pods.reduce((sum, pod) => sum + neededBy(pod, memoryOf), 0),
  };
  return (['cpu', 'memory'] as const)
    .filter((resource) => needed[resource] > snapshot.allocatable[resource])
    .map((resource) => {
      const names = pods.map(({ metadata }) => metadata?.name).join(' ');
      return `the running pods request ${needed[resource]} thousandths of ${resource}, the node has ${snapshot.allocatable[resource]}: ${names}`;
    });
};

function runningByPod({ containers }: Snapshot): Map<string, MemoryContainer[]> {
  const running = new Map<string, MemoryContainer[]>();
  for (const container of containers) {
    if (container.state !== 'running') continue;
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
