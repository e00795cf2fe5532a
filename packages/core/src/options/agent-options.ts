import type { Clock, EventRecorder, Logger, Metrics, PodAdmitHandler, PodSource, Random, ResourceList, VolumePlugin } from '@nodeagent/api';
import type { EnvironmentPorts } from '@nodeagent/api/helpers';
import type { EvictionManagerOptions } from '@nodeagent/eviction';
import type { CredentialProvider, ImageManagerSettings } from '@nodeagent/image-manager';
import type { ShutdownInhibitor, ShutdownSettings } from '@nodeagent/node-shutdown';
import type { RuntimeManagerOptions, RuntimeManagerSettings } from '@nodeagent/runtime-manager';
import type { NodeServerOptions } from '@nodeagent/server';
import type { StatsSource } from '@nodeagent/stats';
import type { VolumeManagerOptions } from '@nodeagent/volume-manager';
import type { ClusterOptions } from '../cluster/cluster.js';
import type { AgentNode, AgentResourceManagers } from '../config/setting-groups.js';
import type { NodeAgentSettings } from '../config/settings.js';
import type { NodeHost } from '../host/node-host.js';
import type { CriServices } from './cri-services.js';
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
  /** The node's HTTP API: listeners, authentication and authorization. Default: none. */
  server?: AgentServer;
  /**
   * The agent's access to a machine: a complete host, such as `memoryHost()`, an in-memory node. `createNodeAgent` of `@nodeagent/core/node`
   * takes this machine by default.
   */
  host: NodeHost;
  /** The node's addresses, the primary one first. Default: those of the cluster's Node, else of the host. */
  hostIps?: string[];
}

/**
 * Options of the agent's volume manager that replace the defaults. `plugins` and `node` default to the host's.
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
> & { settings?: Omit<RuntimeManagerSettings, 'maxContainerRestartPeriodMs'> };

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
