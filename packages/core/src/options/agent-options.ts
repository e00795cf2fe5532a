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
import type { CgroupFiles } from '@nodeagent/cgroups';
import type { LogFiles } from '@nodeagent/container-logs';
import type { DeviceManagerOptions } from '@nodeagent/device-manager';
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
import type { Checkpoints, NodeHost } from '../host/node-host.js';
import type { PodDirs } from '../host/pod-dirs.js';
import type { CriServices } from './cri-services.js';
import type { AgentResourceManagers } from './resource-managers.js';
import type { NodeAgentSettings } from './settings.js';
/** Options of an agent without the factories of parts; these need the types of the parts. */
export interface AgentOptions {
  /** Name of the node, a DNS subdomain. */
  nodeName: string;
  /** Pod sources other than the cluster, such as a file source. */
  sources: PodSource[];
  /** The cluster that the node joins: the result of `joinCluster`, or a subset of its members. Default: none. */
  cluster?: ClusterOptions;
  /**
   * The Node of a standalone agent: its labels and its resources for pods. Pods that do not fit are rejected, or preempt others if they are
   * critical, as in a cluster. In a cluster, use the options of `joinCluster`. Default: the kubelet's.
   */
  node?: AgentNode;
  /** The container runtime: a CRI client, the embedded runtime, or the in-memory one of `@nodeagent/memory-runtime`. */
  cri: CriServices;
  /** Root directory of the agent; pod directories are `<rootDir>/pods/<uid>`. */
  rootDir: string;
  /** Directory of the container logs. Default `/var/log/pods`. */
  podLogsDir?: string;
  settings?: Partial<NodeAgentSettings>;
  /** Clock used for all timers, timestamps and jitter. Default: the system clock. */
  clock?: Clock;
  /** Source of randomness for jitter. Default: `Math.random`. */
  random?: Random;
  /** Default: silent. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
  /** Receives all events in addition to the agent's `event`. Default: none. */
  recorder?: EventRecorder;
  /** Replaces the volume manager; started and stopped with the agent if it has `start` and `stop`. Default: `@nodeagent/volume-manager`. */
  volumeManager?: VolumeManager & Partial<NodeVolumeManager>;
  /**
   * Volume plugins in addition to the agent's, including CSI. Exactly one plugin may support a volume: a pod does not start if two plugins
   * support its volume. A plugin with the name of one of the agent's plugins replaces it. Default: none.
   */
  volumePlugins?: readonly VolumePlugin[];
  /** Replaces the agent's volume plugins, and the source of claims, which is the cluster by default. */
  volumes?: AgentVolumes;
  /**
   * Whether mounts below `rootDir` propagate between the node and containers, as CSI drivers in pods and `mountPropagation` require. The
   * agent makes `rootDir` a shared mount if it is not on one. Not needed with a runtime whose containers share the node's mounts. Default:
   * true.
   */
  sharedRoot?: boolean;
  /** Probes containers; stopped with the agent. Default: `@nodeagent/prober`, over the network and CRI's ExecSync. */
  probeManager?: ProbeManager;
  /**
   * Resource usage of the node and its pods. Default: `@nodeagent/stats` over `cri`, this machine's cgroups and its file systems; none with
   * `parts.podDirs`.
   */
  stats?: StatsProvider;
  /**
   * Where the default stats provider reads pod usage; `chooseStatsSource` chooses by the runtime's endpoint, as a kubelet does. Default
   * `cri`.
   */
  statsSource?: StatsSource;
  /**
   * Eviction thresholds and their inputs. Default: the kubelet's thresholds if the agent has stats. `false`: no pod is evicted for lack of
   * resources.
   */
  eviction?: AgentEviction | false;
  /** CPU, memory and topology managers. Default: off, no container has its own CPUs or memory of chosen NUMA nodes. */
  resourceManagers?: AgentResourceManagers;
  /** Graceful node shutdown. Default: off; pods terminate when the machine kills their processes. */
  shutdown?: AgentShutdown;
  /**
   * Called in this order before a pod starts or is resized, after eviction's and before the node's own handlers; the first rejection
   * counts. Default none.
   */
  admitHandlers?: readonly PodAdmitHandler[];
  /**
   * Allocatable resources, as `status.allocatable` of a Node. Resizes beyond it are rejected, and in a standalone agent pods too; with
   * MemoryQoS it is the memory limit of containers without one. Default: that of the cluster's Node, else the machine's capacity minus
   * reservations.
   */
  nodeAllocatable?(): ResourceList;
  /** Services, config maps and secrets that container environments refer to. Default: the cluster's; none without a cluster. */
  environment?: EnvironmentPorts;
  /**
   * Registry credentials of the node, tried in this order after a pod's pull secrets (read with `environment.getSecret`):
   * `createDockerConfigKeyring`, `createExecCredentialProvider`, or another provider. Default: none.
   */
  imageCredentials?: readonly CredentialProvider[];
  /** The image manager's settings except `settings.serializeImagePulls`. Default: the kubelet's. */
  imageSettings?: Omit<ImageManagerSettings, 'serializeImagePulls'>;
  /** Container resources from other components, and the runtime manager's settings. Default: none, and the kubelet's. */
  runtimeOptions?: RuntimeOptions;
  /**
   * Receives pod statuses; started and stopped by the status manager. A status manager in `parts` reads it from `agent.statusSink` of the
   * components. Default: the cluster; without one, statuses stay in the agent.
   */
  statusSink?: StatusSink;
  /** The node's HTTP API: listeners, authentication and authorization. Default: none. */
  server?: AgentServer;
  /** Replacements of single parts. */
  parts?: AgentObjects;
}

/**
 * Options of the agent's volume manager that replace the defaults. `plugins` and `node` default to this machine's, and to in-memory ones
 * with `parts.podDirs`.
 */
export type AgentVolumes = Pick<
  VolumeManagerOptions,
  'claims' | 'persistentVolumes' | 'nodes' | 'cachedNode' | 'claimStatuses' | 'settings'
> &
  (Pick<VolumeManagerOptions, 'plugins' | 'node'> | { plugins?: never; node?: never });

/** Options that the agent passes unchanged to the runtime manager. */
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

/** Parts that are passed as objects. Default of each: the agent's own. */
export interface AgentObjects {
  /** Replaces the runtime manager over `cri`. */
  runtime?: Runtime;
  /** Access to the machine; `memoryHost()` is an in-memory node. Default: this machine, with the replacements below. */
  host?: NodeHost;
  /** Pod directories; volumes are then in memory unless `volumes` replaces them. Default: below `rootDir`. */
  podDirs?: PodDirs;
  /** Container logs, hosts files and termination messages. Default: the node's file system. */
  files?: PodFiles;
  /** State that survives a restart of the agent. Default: files in `rootDir`; with `files` but without this option, a restart loses it. */
  checkpoints?: Checkpoints;
  /** Log files to rotate. Default: the node's file system; with `files` but without this option, no log is rotated. */
  logFiles?: LogFiles;
  /**
   * Usage of the image file system. Default: as the runtime reports it; with `files` but without this option, image garbage collection is
   * off.
   */
  imageFsStats?(signal: AbortSignal): Promise<ImageFsStats>;
  /** The cgroup file systems. Default: `/sys/fs/cgroup`; with `files` but without this option, pods run without separate cgroups. */
  cgroups?: CgroupFiles;
  /** Reports OOM kills. Default: `/dev/kmsg` if readable; with `files` but without this option, OOM kills are not reported. */
  kernelLog?: KernelLog;
  /**
   * Registration of device plugins, and the connections to them. Default: the sockets in `device-plugins` of `rootDir`; with this option,
   * the agent serves no pod resources API.
   */
  devicePlugins?: DevicePluginPorts;
  /** Default: read from `/proc` and `/sys`. */
  machine?: MachineFacts;
  /** Runs a single probe attempt; simulations replace it because their pods have no network. Default: over the network and CRI. */
  runProbe?: PodProbeManagerOptions['runProbe'];
  /** The node's addresses, the primary one first. Default: those of the cluster's Node, else of the machine's interfaces. */
  hostIps?: string[];
}

/** The ports between the agent and device plugins; simulations replace them. Default of `store`: a state file of the host. */
export type DevicePluginPorts = Required<Pick<DeviceManagerOptions, 'listen' | 'connect'>> & Pick<DeviceManagerOptions, 'store'>;

/** Listeners, authentication and authorization of the HTTP API. Without `https`, `readOnly` and `healthz` no port is opened. */
export type AgentServer = Pick<
  NodeServerOptions,
  | 'https'
  | 'readOnly'
  | 'healthz'
  | 'registry'
  | 'relay'
  | 'ui'
  | 'configz'
  | 'flagz'
  | 'statusz'
  | 'settings'
  | 'systemLogsDir'
  | 'setVerbosity'
>;

/** Options of the agent's eviction manager; the agent provides the others. */
export interface AgentEviction extends Pick<EvictionManagerOptions, 'settings' | 'thresholds' | 'memoryEvents'> {
  /** Resource usage of the node and its pods. Default: the agent's stats. */
  summary?: EvictionManagerOptions['summary'];
  /** Which file systems the node has. Default: by the devices of `rootDir` and of the file systems that the runtime reports. */
  fileSystems?: EvictionManagerOptions['fileSystems'];
  /** Removes all unused images. Default: the agent's image garbage collection. */
  deleteUnusedImages?(signal: AbortSignal): Promise<void>;
}

/** Grace periods of a node shutdown, as in KubeletConfiguration, and the inhibitor that reports it. */
export interface AgentShutdown extends ShutdownSettings {
  /**
   * Reports the machine's shutdown and delays it. Default: the host's, systemd's logind on this machine; `false`: only the agent's
   * `shutdown()` starts a shutdown.
   */
  inhibitor?: ShutdownInhibitor | false;
}

/**
 * The Node of a standalone agent, with the names and defaults of KubeletConfiguration and of the kubelet's flags. `systemReserved` and
 * `kubeReserved` also limit the cgroup of all pods, in a cluster too.
 */
export interface AgentNode extends Pick<NodeStatusSettings, 'nodeLabels' | 'maxPods' | 'podsPerCore' | 'systemReserved' | 'kubeReserved'> {
  /** Value of the label `kubernetes.io/hostname`. Default: the node's name. */
  hostname?: string;
  /** Default none. */
  allowedUnsafeSysctls?: readonly string[];
}
