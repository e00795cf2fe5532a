import { findUntoleratedTaint, isTerminalPhase, type Node, type Pod } from '@nodeagent/api';
import { findMisfit } from './fit.js';
import type { Misfit } from './misfit.js';
import { type ClusterRoom, clusterRoom, type NodeRoom, needsOf, type PodNeeds, placePod } from './node-room.js';

export interface ScheduleInput {
  /** Pods that may wait for a node; those that have one, are gated, being deleted or for another scheduler are passed over. */
  pods: readonly Pod[];
  nodes: readonly Node[];
  /** Pods that have a node, and take room there until they have ended. */
  boundPods: readonly Pod[];
  /** Default `default-scheduler`. */
  schedulerName?: string;
}

export interface ScheduleResult {
  bindings: { pod: Pod; nodeName: string }[];
  /** Pods that fit nowhere, with the message of the event `FailedScheduling` and of the condition `PodScheduled`. */
  unschedulable: { pod: Pod; message: string }[];
}

/**
 * Finds a node for each waiting pod: the most urgent pods first, then the oldest; of the nodes that a pod fits the one with most of its
 * CPU and memory free; of more than a hundred such nodes the best of a hundred. The same input gives the same answer. Never evicts a pod for another one. Knows taints, node affinity and
 * selectors, host ports, requests and required affinity between pods; not volumes, topology spread and preferred affinity.
 * Kubernetes documentation, "Kubernetes Scheduler".
 */
export function scheduleOnce({ nodes, boundPods, ...input }: ScheduleInput): ScheduleResult {
  return scheduleInto(clusterRoom(nodes, boundPods), input);
}

/** The same for nodes whose room is known; takes what it gives. */
export function scheduleInto(
  cluster: ClusterRoom,
  { pods, schedulerName = 'default-scheduler' }: Pick<ScheduleInput, 'pods' | 'schedulerName'>,
): ScheduleResult {
  const result: ScheduleResult = { bindings: [], unschedulable: [] };
  for (const pod of pods.filter((candidate) => isWaiting(candidate, schedulerName)).sort(byUrgency)) {
    const needs = needsOf(pod);
    const { fitting, misfits } = findRooms(needs, cluster);
    const best = choose(needs, fitting);
    if (!best) result.unschedulable.push({ pod, message: unschedulableMessage(misfits) });
    else {
      placePod(cluster, best, needs);
      result.bindings.push({ pod, nodeName: best.node.metadata?.name ?? '' });
    }
  }
  return result;
}

/**
 * Where the pod fits, and why not elsewhere. Of many nodes not all are looked at: {@link enoughRooms} that fit are enough, from another
 * one on for each pod.
 */
function findRooms(needs: PodNeeds, cluster: ClusterRoom): { fitting: NodeRoom[]; misfits: Misfit[] } {
  const { rooms } = cluster;
  const fitting: NodeRoom[] = [];
  const misfits: Misfit[] = [];
  const start = rooms.length > enoughRooms ? (cluster.looked ?? 0) : 0;
  let looked = 0;
  for (; looked < rooms.length && fitting.length < enoughRooms; looked++) {
    const room = rooms[(start + looked) % rooms.length] as NodeRoom;
    const misfit = findMisfit(needs, room, cluster);
    if (misfit) misfits.push(misfit);
    else fitting.push(room);
  }
  cluster.looked = start + looked;
  return { fitting, misfits };
}

/** As kube-scheduler, which looks at no fewer than a hundred nodes that fit. */
const enoughRooms = 100;

function isWaiting({ metadata, spec, status }: Pod, schedulerName: string): boolean {
  return (
    !spec?.nodeName &&
    !metadata?.deletionTimestamp &&
    !spec?.schedulingGates?.length &&
    (spec?.schedulerName ?? schedulerName) === schedulerName &&
    !isTerminalPhase(status?.phase)
  );
}

function byUrgency(a: Pod, b: Pod): number {
  const priority = (b.spec?.priority ?? 0) - (a.spec?.priority ?? 0);
  if (priority !== 0) return priority;
  const age = ({ metadata }: Pod) => `${metadata?.creationTimestamp ?? ''} ${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
  return age(a) < age(b) ? -1 : 1;
}

/** The node whose taints rather keep no pod away, then the one with most free, then with the fewest pods, then the first by name. */
function choose(needs: PodNeeds, rooms: readonly NodeRoom[]): NodeRoom | undefined {
  return rooms.reduce<NodeRoom | undefined>((best, room) => (best && compareRooms(needs, best, room) <= 0 ? best : room), undefined);
}

/** Below 0 if the first room is the better one. */
function compareRooms({ tolerations }: PodNeeds, a: NodeRoom, b: NodeRoom): number {
  const unwanted = ({ taints }: NodeRoom) =>
    findUntoleratedTaint(taints, tolerations, ({ effect }) => effect === 'PreferNoSchedule') ? 1 : 0;
  return (
    unwanted(a) - unwanted(b) ||
    b.freeShare - a.freeShare ||
    a.pods.length - b.pods.length ||
    ((a.node.metadata?.name ?? '') < (b.node.metadata?.name ?? '') ? -1 : 1)
  );
}

/** What the scheduler says of a pod that fits nowhere. */
function unschedulableMessage(misfits: readonly Misfit[]): string {
  if (misfits.length === 0) return 'no nodes available to schedule pods';
  const none = `0/${misfits.length} nodes are available`;
  const preemption = misfits.map(({ helpedByPreemption }) =>
    helpedByPreemption ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
  );
  return `${none}: ${tally(misfits.flatMap(({ reasons }) => reasons))}. no new claims to deallocate, preemption: ${none}: ${tally(preemption)}.`;
}

/** Each text once, with how often it came. */
function tally(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Array.from(counts, ([text, count]) => `${count} ${text}`)
    .sort()
    .join(', ');
}
