import type { Pod, Summary } from '@nodeagent/api';
import { isCriticalPod, isTerminalPhase, podUid } from '@nodeagent/api/helpers';
import type { PodView } from '@nodeagent/core/node';
import { neededBy, requestOf } from './effective-requests.js';
import type { Candidate } from './eviction-candidate.js';
import type { Eviction } from './history.js';
import type { Invariant } from './snapshot.js';

/** The resource that a node was short of, in the message of an eviction. */
const shortResource = /^The node was low on resource: (memory|ephemeral-storage)/;

/**
 * The pods that the agent knows to run, with their usage in its stats. Critical pods are never evicted, nor, as in a kubelet, pods that are not
 * present in their source any more, though their containers still run.
 */
export function candidatesOf(stats: Summary, views: readonly PodView[], present: ReadonlySet<string>): Candidate[] {
  const usage = new Map(stats.pods.map((pod) => [pod.podRef.uid, pod]));
  return views.flatMap(({ pod, status }) => {
    const used = usage.get(podUid(pod));
    if (used === undefined || !present.has(podUid(pod)) || isCriticalPod(pod) || isTerminalPhase(status.phase)) return [];
    const disk = used.containers.reduce((sum, { rootfs }) => sum + Number(rootfs?.usedBytes ?? 0n), 0);
    return [
      {
        uid: podUid(pod),
        priority: pod.spec?.priority ?? 0,
        excess: {
          memory: Number(used.memory?.workingSetBytes ?? 0n) - requested(pod, 'memory'),
          'ephemeral-storage': disk - requested(pod, 'ephemeral-storage'),
        },
      },
    ];
  });
}

const requested = (pod: Pod, resource: string) => neededBy(pod, requestOf(resource)) / 1000;

/**
 * The evicted pod is the first in rank: pods above their request before the others, then by priority, then by excess. Pods without stats rank
 * first. Before it evicts for lack of disk the agent reads the stats once more, so that the last or the previous stats decide.
 */
export const evictionRank: Invariant = ({ history }) =>
  history.evictions.flatMap((eviction) => {
    const problems = eviction.candidates.map((candidates) => problemOf(eviction, candidates));
    const [first] = problems;
    return first !== undefined && problems.every((problem) => problem !== undefined) ? [first] : [];
  });

function problemOf({ uid, message }: Eviction, candidates: readonly Candidate[]): string | undefined {
  const resource = shortResource.exec(message)?.[1] as keyof Candidate['excess'] | undefined;
  const evicted = candidates.find((candidate) => candidate.uid === uid);
  if (resource === undefined || evicted === undefined) return undefined;
  const before = candidates.find((candidate) => ranksBefore(candidate, evicted, resource));
  return (
    before &&
    `${uid} was evicted for lack of ${resource} (${describe(evicted, resource)}) before ${before.uid} (${describe(before, resource)})`
  );
}

function ranksBefore(a: Candidate, b: Candidate, resource: keyof Candidate['excess']): boolean {
  const [excessA, excessB] = [a.excess[resource], b.excess[resource]];
  if (excessA > 0 !== excessB > 0) return excessA > 0;
  if (a.priority !== b.priority) return a.priority < b.priority;
  return excessA > excessB;
}

const describe = ({ priority, excess }: Candidate, resource: keyof Candidate['excess']) =>
  `priority ${priority}, ${excess[resource]} bytes above its request`;
