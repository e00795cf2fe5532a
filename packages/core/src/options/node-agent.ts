import type {
  Pod,
  PodStatus,
  PodWorkerExplanation,
  PodWorkerState,
  ProbeResults,
  PullInProgress,
  Startable,
  StatsProvider,
  TimelineEntry,
} from '@nodeagent/api';
import type { CountedEvent, RecordedEvent } from '@nodeagent/event-recorder';
import type { EvictionManager } from '@nodeagent/eviction';
import type { ImageGcManager } from '@nodeagent/image-gc';
import type { NodeStreaming, ServedPorts } from '@nodeagent/server';
import type { ContainerBackOff } from '../state/back-offs.js';

/** A pod as the agent sees it now. */
export interface PodView {
  pod: Pod;
  status: PodStatus;
  /** Undefined until a worker has taken the pod. */
  state: PodWorkerState | undefined;
  lastEvent: RecordedEvent | undefined;
}

/** Why a pod is where it is, and what comes next. */
export interface PodExplanation extends PodWorkerExplanation {
  /** The containers that the last sync could not start because they wait for the end of their back-off. */
  backOffs: readonly ContainerBackOff[];
}

/** What an agent tells; listeners are called synchronously and must not throw. */
export interface NodeAgentEvents {
  /** Something a user should know about a pod or the node. */
  event: (event: RecordedEvent) => void;
  /** A pod reports a new status. */
  status: (pod: Pod, status: PodStatus) => void;
  /** A pod is no longer wanted and nothing is left of it, neither containers nor folders. */
  removed: (pod: Pod) => void;
  /** Why the runtime cannot be worked with; empty once it can. */
  runtime: (errors: string[]) => void;
  /** Why the API server cannot be worked with; undefined once it can. */
  cluster: (error: string | undefined) => void;
  /** Anything that happened, in the order in which it did; put together only while somebody listens. */
  timeline: (entry: TimelineEntry) => void;
}

/** A node agent: runs the pods of its sources on its runtime until it is stopped. */
export interface NodeAgent extends Startable {
  /** Resolves once the runtime has answered, every source was heard and the pods of before were found. */
  readonly ready: Promise<void>;
  /** The pods that shall run and those that still end, by namespace and name. */
  pods(): PodView[];
  /** Why the runtime cannot be worked with; empty when it can. */
  runtimeErrors(): string[];
  /** Why the API server cannot be worked with, and the way out; undefined when it can, and without a cluster. */
  clusterError(): string | undefined;
  /** What the pod's worker did last, why, and what comes next; undefined for a pod without a worker. */
  explain(podUid: string): PodExplanation | undefined;
  /** What the node and its pods use; undefined where nobody knows, as with a runtime in memory. */
  readonly stats: StatsProvider | undefined;
  /** Which pressure the node is under, what is met since when, and who would go next; undefined without eviction. */
  readonly eviction: Pick<EvictionManager, 'isUnderMemoryPressure' | 'isUnderDiskPressure' | 'isUnderPIDPressure' | 'explain'> | undefined;
  /** What the collection of unused images would do now and why, and what it knows of each image. */
  readonly imageGc: Pick<ImageGcManager, 'plan' | 'records'>;
  /** The last results of the pods' probes. */
  readonly probeResults: ProbeResults;
  /** Where the runtime waits, once and for a short while, for a client of a container: exec, attach and port-forward. */
  readonly streaming: NodeStreaming;
  /** The ports of the HTTP API; undefined before the start, and without one. */
  serverPorts(): ServedPorts | undefined;
  /** The pod's last 25 different events with their counts, the oldest first; empty for a pod that is gone. */
  events(podUid: string): CountedEvent[];
  /** The image pulls in progress and those that wait for their turn, oldest first; empty with a runtime of your own in `parts`. */
  pulls(): PullInProgress[];
  /**
   * Ends all pods within their grace periods and removes their containers; the agent takes up no pod any more. Resolves when
   * nothing is left, however long the runtime is away; rejects with the signal's reason, or with `AgentStopped`.
   */
  stopPods(signal?: AbortSignal): Promise<void>;
  /**
   * The machine goes down: no pod is taken up any more, a cluster hears that the node is not ready, and pods end by rising priority within
   * the periods of the option `shutdown`, which their statuses tell. Resolves when all have ended or their time is over; does nothing without
   * such periods. Rejects with the signal's reason, and then ends no further pods.
   */
  shutdown(signal?: AbortSignal): Promise<void>;
  /**
   * Looks at the Node's status now instead of at its next time, and reports it if something in it changed. Does nothing without a
   * cluster or before the start. Rejects with `NodeStatusUpdateFailed` when five tries failed.
   */
  syncNodeStatus(): Promise<void>;
  /**
   * Ends the agent at once and leaves the containers running, as a kubelet does: what waits for the runtime is cut short. An agent
   * that was stopped stays so; starting it again rejects with `AgentStopped`.
   */
  stop(): Promise<void>;
  on<E extends keyof NodeAgentEvents>(event: E, listener: NodeAgentEvents[E]): void;
  off<E extends keyof NodeAgentEvents>(event: E, listener: NodeAgentEvents[E]): void;
}
