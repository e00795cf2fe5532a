import type {
  Clock,
  EnvironmentPorts,
  EventRecorder,
  Logger,
  Metrics,
  NodeVolumeManager,
  PodAdmitHandler,
  PodSource,
  ProbeManager,
  Random,
  ResourceList,
  Runtime,
  StatsProvider,
  StatusSink,
  VolumeManager,
  VolumePlugin,
} from '@nodeagent/api';
import type { LogFiles } from '@nodeagent/container-logs';
import type { EvictionManagerOptions } from '@nodeagent/eviction';
import type { ImageFsStats } from '@nodeagent/image-gc';
import type { CredentialProvider, ImageManagerSettings } from '@nodeagent/image-manager';
import type { ShutdownInhibitor, ShutdownSettings } from '@nodeagent/node-shutdown';
import type { NodeStatusSettings } from '@nodeagent/node-status';
import type { KernelLog } from '@nodeagent/oom-watcher';
import type { PodProbeManagerOptions } from '@nodeagent/prober';
import type { PodFiles, RuntimeManagerOptions, RuntimeManagerSettings } from '@nodeagent/runtime-manager';
import type { NodeServerOptions } from '@nodeagent/server';
import type { StatsSource } from '@nodeagent/stats';
import type { VolumeManagerOptions } from '@nodeagent/volume-manager';
import type { ClusterOptions } from '../cluster/cluster.js';
import type { MachineFacts } from '../host/machine.js';
import type { NodeHost } from '../host/node-host.js';
import type { PodDirs } from '../host/pod-dirs.js';
import type { CriServices } from './cri-services.js';
import type { NodeAgentSettings } from './settings.js';
/** What an agent is made of, but for the parts that are made by factories; these need the others' types. */
export interface AgentOptions {
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
  /** The container runtime: a CRI client, the embedded runtime, or the in-memory one of `@nodeagent/memory-runtime`. */
  cri: CriServices;
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
  /**
   * Kinds of volumes beside the agent's own, which stay, CSI too. Exactly one plugin may support a volume: a pod whose volume two of them
   * support does not start. A plugin with the name of one of the agent's own takes its place. Default: none.
   */
  volumePlugins?: readonly VolumePlugin[];
  /** Other kinds of volumes instead of the agent's own, and where claims are read instead of at the cluster. */
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
  /**
   * Carries pods' statuses elsewhere; started and stopped by the status manager. One of `parts` reads it from `agent.statusSink` of the
   * components. Default: to the cluster; without one they are only kept.
   */
  statusSink?: StatusSink;
  /** The node's HTTP API: where it listens, and to whom it answers. Default: it does not. */
  server?: AgentServer;
  /** Other implementations of single parts. */
  parts?: AgentObjects;
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

/** Parts that are objects; what is absent is made by the agent. */
export interface AgentObjects {
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

/** Where and to whom the agent answers; what it answers is its own. Without `https`, `readOnly` and `healthz` it listens nowhere. */
export type AgentServer = Pick<
  NodeServerOptions,
  'https' | 'readOnly' | 'healthz' | 'registry' | 'relay' | 'ui' | 'configz' | 'settings' | 'systemLogsDir' | 'setVerbosity'
>;

/** What the agent's eviction works with; the rest the agent knows. */
export interface AgentEviction extends Pick<EvictionManagerOptions, 'settings' | 'thresholds' | 'memoryEvents'> {
  /** What the node and its pods use. Default: the agent's stats. */
  summary?: EvictionManagerOptions['summary'];
  /** Which file systems the node has. Default: by the devices of the agent's folder and of those that the runtime names. */
  fileSystems?: EvictionManagerOptions['fileSystems'];
  /** Removes all images that nothing uses. Default: the agent's image garbage collection. */
  deleteUnusedImages?(signal: AbortSignal): Promise<void>;
}

/** How much time pods have when the machine goes down, as KubeletConfiguration has it, and who tells that it does. */
export interface AgentShutdown extends ShutdownSettings {
  /**
   * Tells when the machine goes down, and holds it up. Default: the host's, which is systemd's logind on this machine; `false`: nobody but
   * who calls the agent's `shutdown()`.
   */
  inhibitor?: ShutdownInhibitor | false;
}

/** The node of an agent without a cluster, with the names and defaults of KubeletConfiguration and of the kubelet's flags. */
export interface AgentNode extends Pick<NodeStatusSettings, 'nodeLabels' | 'maxPods' | 'podsPerCore' | 'systemReserved' | 'kubeReserved'> {
  /** Value of the label `kubernetes.io/hostname`. Default: the node's name. */
  hostname?: string;
  /** Default none. */
  allowedUnsafeSysctls?: readonly string[];
}
