import type {
  Clock,
  EnvironmentPorts,
  EventRecorder,
  Logger,
  Metrics,
  NodeVolumeManager,
  Pod,
  PodAdmitHandler,
  PodSource,
  PodStatus,
  PodWorkerExplanation,
  PodWorkerState,
  ProbeManager,
  ProbeResults,
  PullInProgress,
  Random,
  ResourceList,
  Runtime,
  Startable,
  StatsProvider,
  StatusSink,
  TimelineEntry,
  VolumeManager,
} from '@nodeagent/api';
import type { LogFiles } from '@nodeagent/container-logs';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import type { EvictionManager } from '@nodeagent/eviction';
import type { ImageFsStats, ImageGcManager } from '@nodeagent/image-gc';
import type { CredentialProvider, ImageManagerSettings } from '@nodeagent/image-manager';
import type { KernelLog } from '@nodeagent/oom-watcher';
import type { PodProbeManagerOptions } from '@nodeagent/prober';
import type { PodFiles, RuntimeManagerOptions, RuntimeManagerSettings } from '@nodeagent/runtime-manager';
import type { NodeStreaming, ServedPorts } from '@nodeagent/server';
import type { StatsSource } from '@nodeagent/stats';
import type { VolumeManagerOptions } from '@nodeagent/volume-manager';
import type { AgentServer } from './agent-server.js';
import type { ClusterOptions } from './cluster/cluster.js';
import type { PartFactories } from './components.js';
import type { AgentEviction } from './eviction.js';
import type { MachineFacts } from './host/machine.js';
import type { NodeHost } from './host/node-host.js';
import type { PodDirs } from './host/pod-dirs.js';
import type { NodeAgentSettings } from './settings.js';
import type { AgentShutdown } from './shutdown.js';
import type { AgentNode } from './standalone-node.js';
import type { ContainerBackOff } from './state/back-offs.js';
import type { CountedEvent, RecordedEvent } from './view/pod-events.js';

/** Options of {@link createNodeAgent}. */
export interface NodeAgentOptions {
  /** Name of the node, a DNS name. */
  nodeName: string;
  /** Where pods come from beside the cluster, such as a file source. */
  sources: PodSource[];
  /** The cluster that the node belongs to: what `joinCluster` makes, or the parts of it that are wanted. Default: none. */
  cluster?: ClusterOptions;
  /**
   * The node that pods have to fit where there is no cluster: its labels, and what it has for pods. Pods that do not fit are rejected, and
   * critical ones have others make room, as on a node of a cluster, whose node is an option of `joinCluster`. Default: as a kubelet's.
   */
  node?: AgentNode;
  /** The container runtime: a CRI client, the embedded runtime, or the in-memory one of `@nodeagent/testing`. */
  cri: { runtime: RuntimeService; image: ImageService };
  /** Folder of the agent's own files: `pods/<uid>/...`. */
  rootDir: string;
  /** Folder of the containers' logs. Default `/var/log/pods`. */
  podLogsDir?: string;
  settings?: Partial<NodeAgentSettings>;
  /** Default: real time. */
  clock?: Clock;
  /** Default: the process's own randomness. */
  random?: Random;
  /** Default: silent. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
  /** Where events go beside the agent's own `event`. Default: nowhere. */
  recorder?: EventRecorder;
  /** Makes volumes available by itself; started and stopped with the agent if it has a life. Default: `@nodeagent/volume-manager`. */
  volumeManager?: VolumeManager & Partial<NodeVolumeManager>;
  /** Other kinds of volumes than the kubelet's, and where claims are read instead of at the cluster. */
  volumes?: AgentVolumes;
  /**
   * Whether mounts below `rootDir` pass between the node and containers, as CSI drivers in pods and `mountPropagation` need: `rootDir` is made a
   * shared mount where it is on none. Of no use with a runtime whose containers see the node's mounts anyway. Default: true.
   */
  sharedRoot?: boolean;
  /** Runs the pods' probes; stopped with the agent. Default: `@nodeagent/prober`, over the network and CRI's ExecSync. */
  probeManager?: ProbeManager;
  /**
   * Tells what the node and its pods use. Default: `@nodeagent/stats` over `cri`, this machine's cgroups and its file systems; none with
   * `parts.podDirs`.
   */
  stats?: StatsProvider;
  /**
   * Where the agent's own stats take pods' figures from; `chooseStatsSource` chooses by the runtime's endpoint, as a kubelet does. Default
   * `cri`.
   */
  statsSource?: StatsSource;
  /**
   * How much of what the node has must stay free: pods that use too much are evicted. Default: the kubelet's thresholds where there are
   * stats. `false`: no pod ever is evicted for lack of resources.
   */
  eviction?: AgentEviction | false;
  /** How pods end when the machine goes down, by priority. Default: as the machine ends its processes. */
  shutdown?: AgentShutdown;
  /**
   * Asked in this order before a pod starts or is resized, after eviction and before the node's own rules; the first refusal counts. Default
   * none.
   */
  admitHandlers?: readonly PodAdmitHandler[];
  /**
   * What the node has for pods, as `status.allocatable` of a Node: resizes beyond it are refused, and without a cluster pods too; with
   * MemoryQoS it is what containers without a memory limit have. Default: that of the cluster's Node, else what the machine has less what
   * is reserved.
   */
  nodeAllocatable?(): ResourceList;
  /** Services, config maps and secrets that containers' environments refer to. Default: the cluster's, else there are none. */
  environment?: EnvironmentPorts;
  /**
   * The node's own registry logins, tried in this order after a pod's pull secrets (which `environment.getSecret` gets):
   * `createDockerConfigKeyring`, `createExecCredentialProvider`, or your own. Default: none.
   */
  imageCredentials?: readonly CredentialProvider[];
  /** The image manager's settings beside `settings.serializeImagePulls`. Default: the kubelet's. */
  imageSettings?: Omit<ImageManagerSettings, 'serializeImagePulls'>;
  /** What other parts of the node do for containers, and the runtime manager's own settings. Default: nothing, and the kubelet's. */
  runtimeOptions?: RuntimeOptions;
  /** Carries pods' statuses elsewhere; started and stopped with the agent. Default: to the cluster; without one they are only kept. */
  statusSink?: StatusSink;
  /** The node's HTTP API: where it listens, and to whom it answers. Default: it does not. */
  server?: AgentServer;
  /** Other implementations of single parts. */
  parts?: NodeAgentParts;
}

/**
 * What the agent's volume manager works with where that is not the agent's own: `plugins` and `node` are this machine's by default, and in
 * memory with `parts.podDirs`.
 */
export type AgentVolumes = Pick<
  VolumeManagerOptions,
  'claims' | 'persistentVolumes' | 'nodes' | 'cachedNode' | 'claimStatuses' | 'settings'
> &
  (Pick<VolumeManagerOptions, 'plugins' | 'node'> | { plugins?: never; node?: never });

/** Options of the runtime manager that the agent hands on as they are. */
export type RuntimeOptions = Pick<
  RuntimeManagerOptions,
  | 'actuatedState'
  | 'runtimeHandler'
  | 'deviceOptions'
  | 'prepareDynamicResources'
  | 'containerLifecycle'
  | 'hasExclusiveCpus'
  | 'extraSupplementalGroups'
  | 'prepareSubPath'
  | 'podCgroups'
> & { settings?: Omit<RuntimeManagerSettings, 'maxContainerRestartPeriodSeconds'> };

/**
 * Factories of parts, each called once at construction. It reads the parts that it needs from its argument: those that need the new part
 * only later, when it is called.
 */
export type ReplaceableParts = Pick<PartFactories, 'statusManager' | 'pleg' | 'podWorkers' | 'imageManager' | 'allocation'>;

/** Parts that can be replaced; what is absent is made by the agent. */
export interface NodeAgentParts extends Partial<ReplaceableParts> {
  /** Instead of the runtime manager over `cri`. */
  runtime?: Runtime;
  /** Everything that touches the machine: `memoryHost()` for a node in memory. Default: this machine, with what the parts below replace. */
  host?: NodeHost;
  /** Where pods' folders are; their volumes are in memory then, unless `volumes` says otherwise. Default: below `rootDir`. */
  podDirs?: PodDirs;
  /** Files beside containers: logs, hosts files, termination messages. Default: the node's file system. */
  files?: PodFiles;
  /** Files of container logs, to rotate them. Default: the node's file system; nothing is rotated with other `files` but without these. */
  logFiles?: LogFiles;
  /** The disk of the images. Default: the runtime's own; with other `files` but without this no image is collected for its space or age. */
  imageFsStats?(signal: AbortSignal): Promise<ImageFsStats>;
  /** Tells of the kernel's kills. Default: `/dev/kmsg` where it may be read; with other `files` but without this nothing tells. */
  kernelLog?: KernelLog;
  /** Default: read from `/proc` and `/sys`. */
  machine?: MachineFacts;
  /** Makes single attempts of probes, as in a simulation in which pods have no network. */
  runProbe?: PodProbeManagerOptions['runProbe'];
  /** The node's addresses, its primary one first. Default: those of the cluster's Node, else of the machine's interfaces. */
  hostIps?: string[];
}

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
