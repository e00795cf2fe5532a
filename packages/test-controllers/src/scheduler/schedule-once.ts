import type { Node, Pod } from '@nodeagent/api';
import { isTerminalPhase } from '@nodeagent/api/helpers';
import type { StoredObject } from '../controller-objects.js';
import { podKey, podNameOf } from '../pod-name.js';
import { ClusterBook } from './cluster-book.js';
import type { ObjectWrite, SchedulerPlugin } from './framework/plugin.js';
import { podInfoOf } from './framework/pod-info.js';
import type { ObjectReader } from './framework/snapshot.js';
import { objectsWith } from './objects-with.js';
import { defaultPlugins } from './plugins/default-plugins.js';
import { schedulePod } from './schedule-pod.js';

/** The cluster that a pod is scheduled to. */
export interface SchedulingCluster {
  nodes: readonly Node[];
  /** Bound pods, which use resources until they have terminated, and pods that were nominated for a node. */
  boundPods: readonly Pod[];
  /**
   * Other objects that the rules read, by group and plural: `/namespaces`, `/services`, `apps/replicasets`, `apps/statefulsets`,
   * `policy/poddisruptionbudgets`. Default: none.
   */
  objects?: Readonly<Record<string, readonly StoredObject[]>>;
  /** Default: those of kube-scheduler. */
  plugins?: readonly SchedulerPlugin[];
}

export interface ScheduleInput extends SchedulingCluster {
  /** Candidates; pods that are bound, gated, being deleted or of another scheduler are skipped. */
  pods: readonly Pod[];
  /** Default: `default-scheduler`. */
  schedulerName?: string;
}

export interface ScheduleResult {
  /** Where pods run, with what is written before the binding. Pods with `isWaiting` are bound after other objects changed. */
  bindings: { pod: Pod; nodeName: string; writes: ObjectWrite[]; isWaiting: boolean }[];
  /** Unschedulable pods, with the message of the event `FailedScheduling` and of the condition `PodScheduled`. */
  unschedulable: { pod: Pod; message: string }[];
  /** Pods that are ended so that a pod of higher priority fits: it is nominated for their node. */
  preemptions: { pod: Pod; nodeName: string; victims: Pod[] }[];
}

/**
 * Finds a node for each pending pod, as kube-scheduler does with its default plugins: the highest priority first, then the oldest. Deterministic:
 * of nodes with equal scores the one with the fewest pods is taken, then the first by name. Kubernetes documentation, "Kubernetes Scheduler".
 */
export function scheduleOnce({ pods, schedulerName = 'default-scheduler', ...cluster }: ScheduleInput): ScheduleResult {
  const { book, plugins, write } = bookOf(cluster);
  const result: ScheduleResult = { bindings: [], unschedulable: [], preemptions: [] };
  for (const pod of pods.filter((candidate) => isPending(candidate, schedulerName)).sort(byUrgency)) {
    const decision = schedulePod(podInfoOf(pod), book, plugins);
    if (decision.node) {
      const { node, reservation } = decision;
      book.place(node.name, decision.pod);
      reservation.writes.forEach(write);
      result.bindings.push({ pod, nodeName: node.name, writes: reservation.writes, isWaiting: reservation.isWaiting ?? false });
      continue;
    }
    result.unschedulable.push({ pod, message: decision.message });
    const { node, victims = [] } = decision.preemption ?? {};
    if (!node) continue;
    book.nominate(decision.pod.key, node.name, decision.pod);
    result.preemptions.push({ pod, nodeName: node.name, victims: victims.map((victim) => victim.pod) });
  }
  return result;
}

/** The cluster as rules read it, and how writes become visible to them. */
export function bookOf({ nodes, boundPods, objects = {}, plugins = defaultPlugins }: SchedulingCluster) {
  const { reader, write } = objectsWith(objects);
  return { book: fillBook(new ClusterBook(reader), nodes, boundPods), plugins, write };
}

/** The cluster of a server. */
export const bookOver = (objects: ObjectReader): ClusterBook =>
  fillBook(new ClusterBook(objects), objects.list('/nodes') as readonly Node[], objects.list('/pods') as readonly (StoredObject & Pod)[]);

function fillBook(book: ClusterBook, nodes: readonly Node[], pods: readonly Pod[]): ClusterBook {
  for (const node of nodes) book.setNode(node.metadata?.name ?? '', node);
  for (const pod of pods) {
    const { nodeName } = pod.spec ?? {};
    const { nominatedNodeName } = pod.status ?? {};
    if (nodeName) book.setPod(nodeName, podKey(podNameOf(pod)), pod);
    else if (nominatedNodeName) book.nominate(podKey(podNameOf(pod)), nominatedNodeName, podInfoOf(pod));
  }
  return book;
}

/** Whether the scheduler should find a node for the pod now. */
export function isPending({ metadata, spec, status }: Pod, schedulerName: string): boolean {
  return (
    !spec?.nodeName &&
    !metadata?.deletionTimestamp &&
    !spec?.schedulingGates?.length &&
    (spec?.schedulerName ?? schedulerName) === schedulerName &&
    !isTerminalPhase(status?.phase)
  );
}

/** The order of the queue: the highest priority first, then the oldest. */
export function byUrgency(a: Pod, b: Pod): number {
  const priority = (b.spec?.priority ?? 0) - (a.spec?.priority ?? 0);
  if (priority !== 0) return priority;
  const age = ({ metadata }: Pod) => `${metadata?.creationTimestamp ?? ''} ${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
  return age(a) < age(b) ? -1 : 1;
}
