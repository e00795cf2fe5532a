import {
  type AllocationManager,
  type EnvironmentPorts,
  type ImageManager,
  NodeAgentError,
  type PodLifecycleEventGenerator,
  type PodSyncer,
  type PodWorkers,
  type ProbeManager,
  type Runtime,
  type Startable,
  type StatusManager,
} from '@nodeagent/api';
import type { ContainerManager } from '@nodeagent/container-manager';
import type { DraManager } from '@nodeagent/dra-manager';
import type { ImageGcManager } from '@nodeagent/image-gc';
import type { ContainerGc, RuntimeInventory, RuntimeMonitor, UserNamespaces } from '@nodeagent/runtime-manager';
import type { DeadlineTimers, ResizeConditions } from '@nodeagent/status-manager';
import type { AgentContext } from './agent-context.js';
import type { ClusterParts } from './cluster/cluster.js';
import { coreErrorCodes } from './errors.js';
import type { RuntimeCapabilities } from './options/runtime-capabilities.js';
import type { AgentDevices } from './parts/devices.js';
import type { AgentEvictionManager } from './parts/eviction.js';
import type { NodeFacts } from './parts/node/node-facts.js';
import type { NodeShutdown } from './parts/node-shutdown.js';
import type { ResourceManagers } from './parts/resource-managers.js';
import type { RunningAgentServer } from './parts/server.js';
import type { StandaloneNode } from './parts/standalone.js';
import type { AgentStats } from './parts/stats.js';
import type { AgentVolumeManager } from './parts/volumes.js';
import type { RemovedPods } from './pods/removed-pods.js';
import type { SyncHandler, SyncLoop } from './pods/sync-loop.js';
import type { Timeline } from './view/timeline.js';

/** The parts of an agent. */
export interface AgentParts {
  stats: AgentStats;
  /** Undefined if eviction is off. */
  eviction: AgentEvictionManager | undefined;
  /** The Node of a standalone agent; undefined in a cluster. */
  standalone: StandaloneNode | undefined;
  cluster: ClusterParts | undefined;
  /** Services, config maps and secrets for the pods. */
  environment: EnvironmentPorts;
  node: NodeFacts;
  volumes: AgentVolumeManager;
  timeline: Timeline;
  resizes: ResizeConditions;
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
  /** What the runtime can do beyond its contract. */
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
  cleanup: ContainerGc;
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

const optionalParts: ReadonlySet<string> = new Set<keyof AgentParts>([
  'eviction',
  'standalone',
  'cluster',
  'userNamespaces',
  'containerManager',
  'devices',
  'resourceManagers',
  'podResources',
  'dynamicResources',
  'server',
]);

/**
 * Creates the parts in the order of the factories, and before a part those that it reads at construction. Throws `UnmetNeed` naming both
 * parts if a part reads a missing part or one that depends on it.
 */
export function createComponents(context: AgentContext, factories: PartFactories): Components {
  const names = Object.keys(factories) as (keyof AgentParts)[];
  const parts: Partial<Record<keyof AgentParts, unknown>> = {};
  const underConstruction: (keyof AgentParts)[] = [];
  const components = { ...context } as Components;

  const create = (name: keyof AgentParts) => {
    if (name in parts) return;
    underConstruction.push(name);
    parts[name] = factories[name](components);
    underConstruction.pop();
  };
  const read = (name: keyof AgentParts) => {
    const reader = underConstruction.at(-1) ?? 'the agent';
    if (underConstruction.includes(name)) {
      const path = [...underConstruction.slice(underConstruction.indexOf(name)), name].join(' -> ');
      throw unmetNeed(`parts depend on each other (${path}): ${reader} must read ${name} inside a function, not at construction`);
    }
    create(name);
    if (parts[name] === undefined && !optionalParts.has(name))
      throw unmetNeed(`${reader} needs ${name}, but the factory of ${name} returned undefined`);
    return parts[name];
  };
  for (const name of names) Object.defineProperty(components, name, { get: () => read(name), enumerable: true });
  for (const name of names) create(name);
  for (const name of names) read(name);
  return components;
}

const unmetNeed = (message: string) => new NodeAgentError(coreErrorCodes.unmetNeed, message);
