import type { Pod } from '@nodeagent/api';
import type { StoredObject } from '../../controller-objects.js';
import type { NodeInfo } from './node-info.js';
import type { PodInfo } from './pod-info.js';
import type { ObjectReader, Snapshot } from './snapshot.js';

/** Why a pod does not fit a node. */
export interface Misfit {
  /** The scheduler's messages, each counted per node. */
  reasons: string[];
  /** Whether the pod might fit without other pods: `Unschedulable`, in contrast to `UnschedulableAndUnresolvable`. */
  helpedByPreemption: boolean;
}

/** What {@link SchedulerPlugin.preFilter} returns. */
export interface PreFilter<State> {
  /** Passed to `filter`, `addPod`, `reserve`. Absent if the plugin has nothing to filter for this pod. */
  state?: State;
  /** Rejects the pod on every node. */
  misfit?: Misfit;
  /** The only nodes that are considered. Default: all. */
  nodeNames?: ReadonlySet<string>;
}

/** One object to write before the pod is bound: a change of `before`, or a new object. */
export interface ObjectWrite {
  storage: string;
  before?: StoredObject;
  after: StoredObject;
  subresource?: string;
}

/** What has to happen between the choice of a node and the binding. */
export interface Reservation {
  /** In order. They are visible to the pods that are scheduled next. */
  writes: ObjectWrite[];
  /**
   * Whether the binding waits until objects of {@link SchedulerPlugin.storages} change, such as for a volume that is being provisioned. The
   * pod keeps its place on the node; after each change `reserve` is called again.
   */
  isWaiting?: boolean;
}

/** A change that may make unschedulable pods schedulable. */
export interface ClusterChange {
  /**
   * `nodeAdded`; `nodeChanged`: allocatable, labels, taints or `unschedulable`; `podAdded`: a pod was bound; `podChanged`: other
   * labels or smaller requests of a bound pod; `podRemoved`: deleted or terminated; `objectChanged`: another kind, of {@link SchedulerPlugin.storages}.
   */
  type: 'nodeAdded' | 'nodeChanged' | 'podAdded' | 'podChanged' | 'podRemoved' | 'objectChanged';
  storage: string;
  object?: StoredObject;
  previous?: StoredObject;
}

/**
 * A rule of the scheduler, as pure functions: Kubernetes documentation, "Scheduling Framework". Declared as methods, so that plugins with
 * different states fit in one list.
 */
export interface SchedulerPlugin<Filtering = unknown, Scoring = unknown> {
  /** The name in kube-scheduler's configuration. */
  readonly name: string;
  /** Kinds, besides pods and nodes, whose changes may make pods schedulable that this plugin rejected. */
  readonly storages?: readonly string[];
  /** Once per pod, before its nodes are filtered. */
  preFilter?(pod: PodInfo, snapshot: Snapshot): PreFilter<Filtering>;
  /** Why the pod does not fit the node; undefined if it fits. */
  filter?(state: Filtering, node: NodeInfo): Misfit | undefined;
  /** Updates the state for a pod that would be added (1) to the node or removed (-1) from it. Only states that depend on pods need it. */
  addPod?(state: Filtering, other: PodInfo, node: NodeInfo, count: 1 | -1): void;
  /** Weight of the normalized scores, which are 0 to 100. Default 1. */
  readonly weight?: number;
  /** Once per pod, before its feasible nodes are scored, if there are several. Undefined: the plugin does not score this pod. */
  preScore?(pod: PodInfo, snapshot: Snapshot, feasible: readonly NodeInfo[]): Scoring | undefined;
  score?(state: Scoring, node: NodeInfo): number;
  /** Scales the scores of all feasible nodes to 0 to 100. Default: they are. */
  normalizeScore?(scores: readonly number[], state: Scoring, feasible: readonly NodeInfo[]): number[];
  /** The chosen node's consequences. */
  reserve?(state: Filtering, node: NodeInfo): Reservation | undefined;
  /** If no node fits: what the message adds, and what is written to help. */
  postFilter?(state: Filtering): { text: string; writes?: ObjectWrite[] } | undefined;
  /** Why the pod waits without an attempt, an event or a condition. Checked again when the pod or objects of `storages` change. */
  preEnqueue?(pod: Pod, objects: ObjectReader): string | undefined;
  /** The changes that may help a pod that this plugin rejected. Default: all. */
  readonly helpedBy?: readonly ClusterChange['type'][];
  /** Whether such a change helps this pod. Default: it does. */
  isHelpedBy?(pod: Pod, change: ClusterChange): boolean;
}
