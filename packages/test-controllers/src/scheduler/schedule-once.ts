import type { Node, Pod } from '@nodeagent/api';
import { findUntoleratedTaint, isTerminalPhase } from '@nodeagent/api/helpers';
import { findMisfit } from './fit.js';
import type { Misfit } from './misfit.js';
import { type ClusterRoom, clusterRoom, type NodeRoom, needsOf, type PodNeeds, placePod } from './node-room.js';

export interface ScheduleInput {
  /** Candidates; pods that are bound, gated, being deleted or of another scheduler are skipped. */
  pods: readonly Pod[];
  nodes: readonly Node[];
  /** Bound pods, which use resources until they have terminated. */
  boundPods: readonly Pod[];
  /** Default: `default-scheduler`. */
  schedulerName?: string;
}

export interface ScheduleResult {
  bindings: { pod: Pod; nodeName: string }[];
  /** Unschedulable pods, with the message of the event `FailedScheduling` and of the condition `PodScheduled`. */
  unschedulable: { pod: Pod; message: string }[];
}

/**
 * Finds a node for each pending pod: the highest priority first, then the oldest; of the nodes that fit the one with most
 * CPU and memory free; of more than a hundred such nodes the best of a hundred. Deterministic. Does not preempt. Supports taints, node affinity and
 * selectors, host ports, requests and required affinity between pods; not volumes, topology spread and preferred affinity.
 * Kubernetes documentation, "Kubernetes Scheduler".
 */
export function scheduleOnce({ nodes, boundPods, ...input }: ScheduleInput): ScheduleResult {
  return scheduleInto(clusterRoom(nodes, boundPods), input);
}

/** The same for nodes with known usage; adds the usage of the placed pods. */
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
 * The nodes where the pod fits, and why it does not fit on others. Of many nodes not all are checked: it stops after {@link enoughRooms}
 * that fit, and starts at another node for each pod.
 */
function findRooms(needs: PodNeeds, cluster: ClusterRoom): { fitting: NodeRoom[]; misfits: Misfit[] } {
  const { rooms } = cluster;
  const fitting: NodeRoom[] = [];
  const misfits: Misfit[] = [];
  const start = rooms.length > enoughRooms ? (cluster.checked ?? 0) : 0;
  let checked = 0;
  for (; checked < rooms.length && fitting.length < enoughRooms; checked++) {
    const room = rooms[(start + checked) % rooms.length] as NodeRoom;
    const misfit = findMisfit(needs, room, cluster);
    if (misfit) misfits.push(misfit);
    else fitting.push(room);
  }
  cluster.checked = start + checked;
  return { fitting, misfits };
}

/** As in kube-scheduler, which considers at least a hundred feasible nodes. */
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

/** Prefers nodes without untolerated PreferNoSchedule taints, then most free resources, then the fewest pods, then the first name. */
function choose(needs: PodNeeds, rooms: readonly NodeRoom[]): NodeRoom | undefined {
  return rooms.reduce<NodeRoom | undefined>((best, room) => (best && compareRooms(needs, best, room) <= 0 ? best : room), undefined);
}

/** Below 0 if the first node is better. */
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

/** The scheduler's message about an unschedulable pod. */
function unschedulableMessage(misfits: readonly Misfit[]): string {
  if (misfits.length === 0) return 'no nodes available to schedule pods';
  const none = `0/${misfits.length} nodes are available`;
  const preemption = misfits.map(({ helpedByPreemption }) =>
    helpedByPreemption ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
  );
  return `${none}: ${tally(misfits.flatMap(({ reasons }) => reasons))}. no new claims to deallocate, preemption: ${none}: ${tally(preemption)}.`;
}

/** Each text once, with its count. */
function tally(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Array.from(counts, ([text, count]) => `${count} ${text}`)
    .sort()
    .join(', ');
}
