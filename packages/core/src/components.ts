import type {
  AllocationManager,
  ImageManager,
  PodLifecycleEventGenerator,
  PodSource,
  PodSyncer,
  PodWorkers,
  ProbeManager,
  Runtime,
  Startable,
  StatusManager,
  StatusSink,
} from '@nodeagent/api';
import type { EnvironmentPorts } from '@nodeagent/api/helpers';
import type { ContainerManager } from '@nodeagent/container-manager';
import type { DraManager } from '@nodeagent/dra-manager';
import type { ImageGcManager } from '@nodeagent/image-gc';
import type { ContainerGc, RuntimeInventory, RuntimeMonitor, UserNamespaces } from '@nodeagent/runtime-manager';
import type { DeadlineTimers, ResizeConditions } from '@nodeagent/status-manager';
import type { AgentContext } from './agent-context.js';
import type { ClusterParts } from './cluster/cluster.js';
import type { RuntimeCapabilities } from './options/runtime-capabilities.js';
import type { VolumeCapabilities } from './options/volume-capabilities.js';
import { allocation } from './parts/allocation.js';
import { capabilities } from './parts/capabilities.js';
import { cluster } from './parts/cluster.js';
import { containerGc } from './parts/container-gc.js';
import { containerLogs } from './parts/container-logs.js';
import { containerManager } from './parts/container-manager.js';
import { deadlines } from './parts/deadlines.js';
import { type AgentDevices, devices } from './parts/devices.js';
import { dynamicResources } from './parts/dynamic-resources.js';
import { environment } from './parts/environment.js';
import { type AgentEvictionManager, eviction } from './parts/eviction.js';
import { handler } from './parts/handler.js';
import { housekeeping } from './parts/housekeeping.js';
import { imageGc } from './parts/image-gc.js';
import { imageManager } from './parts/image-manager.js';
import { inventory } from './parts/inventory.js';
import { monitor } from './parts/monitor.js';
import { type NodeFacts, node } from './parts/node.js';
import { type NodeShutdown, nodeShutdown } from './parts/node-shutdown.js';
import { oomWatcher } from './parts/oom-watcher.js';
import { pleg } from './parts/pleg.js';
import { podResources } from './parts/pod-resources.js';
import { podWorkers } from './parts/pod-workers.js';
import { probeManager } from './parts/probe-manager.js';
import { removedPods } from './parts/removed-pods.js';
import { resizes } from './parts/resizes.js';
import { type ResourceManagers, resourceManagers } from './parts/resource-managers.js';
import { runtime } from './parts/runtime.js';
import { type RunningAgentServer, server } from './parts/server.js';
import { sources } from './parts/sources.js';
import { type StandaloneNode, standalone } from './parts/standalone.js';
import { type AgentStats, stats } from './parts/stats.js';
import { statusManager } from './parts/status-manager.js';
import { statusSink } from './parts/status-sink.js';
import { syncLoop } from './parts/sync-loop.js';
import { syncer } from './parts/syncer.js';
import { timeline } from './parts/timeline.js';
import { userNamespaces } from './parts/user-namespaces.js';
import { type AgentVolumeManager, volumeManager } from './parts/volume-manager.js';
import { volumes } from './parts/volumes.js';
import type { RemovedPods } from './pods/removed-pods.js';
import type { SyncHandler, SyncLoop } from './pods/sync-loop.js';
import type { Timeline } from './view/timeline.js';

/** The parts of an agent. */
export interface AgentParts {
  /** Resource usage of the node and its pods; undefined if the host has none. */
  stats: AgentStats | undefined;
  /** Undefined if eviction is off. */
  eviction: AgentEvictionManager | undefined;
  /** The Node of a standalone agent; undefined in a cluster. */
  standalone: StandaloneNode | undefined;
  cluster: ClusterParts | undefined;
  /** Services, config maps and secrets for the pods. Default: those of the option `environment`, then the cluster's. */
  environment: EnvironmentPorts;
  node: NodeFacts;
  volumeManager: AgentVolumeManager;
  /** What the volume manager can do beyond its contract. Default: detected by its methods. */
  volumes: VolumeCapabilities;
  /** Where the pods come from. Default: the option `sources`, and the cluster. */
  sources: readonly PodSource[];
  timeline: Timeline;
  resizes: ResizeConditions;
  /** Receives pod statuses; started and stopped by the status manager. Undefined: statuses stay in the agent. */
  statusSink: StatusSink | undefined;
  statusManager: StatusManager;
  probeManager: ProbeManager;
  deadlines: DeadlineTimers;
  imageManager: ImageManager;
  imageGc: ImageGcManager;
  /** Undefined if pods cannot have user namespaces. */
  userNamespaces: UserNamespaces | undefined;
  /** The cgroups of the node and its pods; undefined if pods have no separate cgroups. */
  containerManager: ContainerManager | undefined;
  /** Undefined if the agent runs no device plugins. */
  devices: AgentDevices | undefined;
  /** Undefined if none is on. */
  resourceManagers: ResourceManagers | undefined;
  /** Undefined if device plugins are off. */
  podResources: Startable | undefined;
  /** Prepares the resource claims of pods; undefined if pods cannot have any. */
  dynamicResources: DraManager | undefined;
  runtime: Runtime;
  /** What the runtime can do beyond its contract. Default: detected by its methods. */
  capabilities: RuntimeCapabilities;
  pleg: PodLifecycleEventGenerator;
  monitor: RuntimeMonitor;
  inventory: RuntimeInventory;
  nodeShutdown: NodeShutdown;
  allocation: AllocationManager;
  syncer: PodSyncer;
  podWorkers: PodWorkers;
  containerLogs: Startable;
  oomWatcher: Startable;
  containerGc: ContainerGc;
  removedPods: RemovedPods;
  housekeeping: () => Promise<boolean>;
  handler: SyncHandler;
  syncLoop: SyncLoop;
  /** Undefined if no listener is configured. */
  server: RunningAgentServer | undefined;
}

/** The context and the parts of an agent. A part is created at its first read. */
export interface Components extends AgentContext, Readonly<AgentParts> {}

/**
 * One factory for each part. A factory reads at construction only parts that do not depend on its own part. It reads dependents later,
 * inside a function: `c.podWorkers.killPodNow(...)`.
 */
export type PartFactories = { [K in keyof AgentParts]: (c: Components) => AgentParts[K] };

/**
 * Factories that replace parts of the agent. Each is called once, at construction, with the components and with a function that creates the
 * agent's own part, for a replacement that wraps it.
 */
export type PartReplacements = { [K in keyof AgentParts]?: (c: Components, createDefault: () => AgentParts[K]) => AgentParts[K] };

/** The default factory of each part, in the order in which the parts are created. */
export const defaultParts: PartFactories = {
  stats,
  eviction,
  standalone,
  cluster,
  environment,
  node,
  volumeManager,
  volumes,
  sources,
  timeline,
  resizes,
  statusSink,
  statusManager,
  probeManager,
  deadlines,
  imageManager,
  imageGc,
  userNamespaces,
  containerManager,
  devices,
  resourceManagers,
  podResources,
  dynamicResources,
  runtime,
  capabilities,
  pleg,
  monitor,
  inventory,
  nodeShutdown,
  allocation,
  syncer,
  podWorkers,
  containerLogs,
  oomWatcher,
  containerGc,
  removedPods,
  housekeeping,
  handler,
  syncLoop,
  server,
};
