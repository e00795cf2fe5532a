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
import type { PodCgroup } from '@nodeagent/container-manager';
import type { DeviceExplanation } from '@nodeagent/device-manager';
import type { DraExplanation } from '@nodeagent/dra-manager';
import type { CountedEvent, RecordedEvent } from '@nodeagent/event-recorder';
import type { EvictionManager } from '@nodeagent/eviction';
import type { ImageGcManager } from '@nodeagent/image-gc';
import type { NodeStreaming, ServedPorts } from '@nodeagent/server';
import type { PodTopologyExplanation } from '@nodeagent/topology-manager';
import type { NodeCertificatesExplanation } from '../cluster/node-certificates.js';
import type { ContainerBackOff } from '../state/back-offs.js';

/** The agent's view of a pod. */
export interface PodView {
  pod: Pod;
  /** The reported status; a container in back-off already waits in it. */
  status: PodStatus;
  /** Undefined before a pod worker has received the pod. */
  state: PodWorkerState | undefined;
  lastEvent: RecordedEvent | undefined;
}

/** What a pod's worker did last, why, and when it syncs again. */
export interface PodExplanation extends PodWorkerExplanation {
  /** The containers that the last sync did not start because their back-off has not ended. */
  backOffs: readonly ContainerBackOff[];
}

/** What the resource managers assigned to a container. */
export interface ContainerAssignment {
  containerName: string;
  /** Exclusive CPUs in the list format of Linux, such as `2-3`. Absent: the container has none. */
  cpus?: string;
  /** The NUMA nodes of its memory, ascending. Absent: any. */
  memoryNumaNodes?: number[];
  /** Ids of devices by resource. Absent: none. */
  devices?: Record<string, string[]>;
}

/** What the resource managers assigned to a pod, and why. */
export interface PodAssignments {
  /** The containers that have something. */
  containers: ContainerAssignment[];
  /** The decision of the topology manager, with the hints that led to it. Absent if it was made before the agent started, or long ago. */
  topology?: PodTopologyExplanation;
}

/** Events of an agent. Listeners are called synchronously and must not throw. */
export interface NodeAgentEvents {
  /** An event about a pod or the node was recorded. */
  event: (event: RecordedEvent) => void;
  /** A pod reports a new status. */
  status: (pod: Pod, status: PodStatus) => void;
  /** A removed pod is cleaned up: its containers and directories are removed. */
  removed: (pod: Pod) => void;
  /** Why the runtime is not ready; empty when it is ready again. */
  runtime: (errors: string[]) => void;
  /** Why the API server does not serve the agent; undefined when it does again. */
  cluster: (error: string | undefined) => void;
  /** One entry for each thing that happens on the node, in order. Entries are created only while this event has a listener. */
  timeline: (entry: TimelineEntry) => void;
}

/** A node agent: runs the pods of its sources on its runtime until it is stopped. */
export interface NodeAgent extends Startable {
  /** Resolves after the runtime has answered, every source has delivered its list and the pods of the previous run are recovered. */
  readonly ready: Promise<void>;
  /** Desired pods and terminating pods, sorted by namespace and name. */
  pods(): PodView[];
  /** Why the runtime is not ready; empty when it is. */
  runtimeErrors(): string[];
  /** Why the API server does not serve the agent, with a remedy; undefined while it does, and without a cluster. */
  clusterError(): string | undefined;
  /** The state of the certificates that the agent rotates, and what it waits for; empty without any. Without keys. */
  certificates(): NodeCertificatesExplanation;
  /** What the pod's worker did last, why, and what it does next; undefined for a pod without a worker. */
  explain(podUid: string): PodExplanation | undefined;
  /** The pod's cgroup and its values; undefined for an unknown pod, and if pods have no separate cgroups. */
  podCgroup(podUid: string): PodCgroup | undefined;
  /** The CPUs, memory and devices of the pod's containers, and the hints that decided; undefined if nothing was assigned. */
  podAssignments(podUid: string): PodAssignments | undefined;
  /** The resources of device plugins with the health of their devices, and the containers that have them; undefined without device plugins. */
  devicePlugins(): DeviceExplanation | undefined;
  /** The DRA drivers of the node, and the ResourceClaims that its pods use, with the prepared devices; undefined without a cluster. */
  dynamicResources(): DraExplanation | undefined;
  /** Resource usage of the node and its pods; undefined if no source of stats exists, as with an in-memory runtime. */
  readonly stats: StatsProvider | undefined;
  /** Pressure conditions, the thresholds that are met and since when, and the ranking of pods; undefined without eviction. */
  readonly eviction: Pick<EvictionManager, 'isUnderMemoryPressure' | 'isUnderDiskPressure' | 'isUnderPIDPressure' | 'explain'> | undefined;
  /** The plan of an image garbage collection at this time, with a reason for each image, and the records of the images. */
  readonly imageGc: Pick<ImageGcManager, 'plan' | 'records'>;
  /** The last results of the pods' probes. */
  readonly probeResults: ProbeResults;
  /** Opens exec, attach and port-forward streams of the runtime. Each waits briefly for one client. */
  readonly streaming: NodeStreaming;
  /** The ports of the HTTP API; undefined before the start, and without a server. */
  serverPorts(): ServedPorts | undefined;
  /** The pod's last 25 distinct events with their counts, oldest first; empty for an unknown pod. */
  events(podUid: string): CountedEvent[];
  /** Image pulls in progress and in the queue, oldest first; empty with `parts.runtime`. */
  pulls(): PullInProgress[];
  /**
   * Terminates all pods within their grace periods, removes their containers, and takes no further pods. Resolves when all pods are cleaned
   * up, which waits for an unreachable runtime; rejects with the signal's reason, or with `AgentStopped`.
   */
  stopPods(signal?: AbortSignal): Promise<void>;
  /**
   * Graceful node shutdown: the agent takes no further pods, reports the node as not ready, and terminates pods by rising priority within
   * the periods of the option `shutdown`; pod statuses report it. Resolves when all pods have terminated or the periods have expired; does
   * nothing without such periods. Rejects with the signal's reason, and then terminates no further pods.
   */
  shutdown(signal?: AbortSignal): Promise<void>;
  /**
   * Syncs the node status now, and patches the Node if it changed. Does nothing without a cluster or before the start. Rejects with
   * `NodeStatusUpdateFailed` after five failed attempts.
   */
  syncNodeStatus(): Promise<void>;
  /**
   * Stops the agent at once and leaves the containers running, as a kubelet does; pending runtime calls are aborted. A stopped agent stays
   * stopped; starting it again rejects with `AgentStopped`.
   */
  stop(): Promise<void>;
  on<E extends keyof NodeAgentEvents>(event: E, listener: NodeAgentEvents[E]): void;
  off<E extends keyof NodeAgentEvents>(event: E, listener: NodeAgentEvents[E]): void;
}
