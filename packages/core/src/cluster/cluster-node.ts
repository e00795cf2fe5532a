import type {
  Clock,
  EventRecorder,
  Informer,
  Lease,
  Logger,
  Metrics,
  Node,
  ObjectCreator,
  ObjectGetter,
  ObjectPatcher,
  ObjectUpdater,
  Pod,
  PodAdmitHandler,
  PodStatus,
  Random,
  Startable,
} from '@nodeagent/api';
import type { NetworkFacts, NodeDevices, NodeRuntimeFacts, NodeStatusManagerOptions, NodeStatusSettings } from '@nodeagent/node-status';
import type { NodeAdmissionOptions } from '@nodeagent/pod-admission';
import type { RuntimeInventory } from '@nodeagent/runtime-manager';
import { reserveCpus } from './reserved-cpus.js';

/** The Node object of a cluster member: registration, status, lease and the admission rules that depend on it. */
export interface ClusterNode extends Startable {
  /** Sysctls and the scheduler's predicates, in the kubelet's order. */
  admitHandlers: readonly PodAdmitHandler[];
  /** The Node as last observed, or as it will be registered; undefined before the first read. */
  current(): Node | undefined;
  /** Syncs the node status now. */
  syncNodeStatus(): Promise<void>;
}

/** What the {@link ClusterNode} reads from the agent. */
export interface ClusterNodeContext {
  nodeName: string;
  informer: Informer<Node>;
  runtime: Omit<NodeRuntimeFacts, 'version'>;
  inventory: RuntimeInventory;
  /** Reads and updates the node's volumes (`volumesInUse`, `volumesAttached`). */
  volumes: NonNullable<NodeStatusManagerOptions['volumes']>;
  /** Default: the agent runs no device plugins. */
  devices?: NodeDevices & Required<Pick<NodeAdmissionOptions, 'devicesInUse'>>;
  /** Resources under pressure. Default: none. */
  pressure?: NonNullable<NodeStatusManagerOptions['pressure']>;
  /** Hard eviction thresholds to subtract from allocatable, unless `settings` of the node set them. Default: none. */
  evictionReserves?: NonNullable<NodeStatusSettings['evictionReserves']>;
  /** The declared features that the agent supports, read for each report; see {@link agentFeatures}. */
  features(): readonly string[];
  /** Reasons why the node's storage is not ready. */
  storageErrors(): readonly string[];
  /** `node is shutting down` during a shutdown, else undefined. */
  shutdownError(): string | undefined;
  /** Terminates a pod to make room for a critical one; resolves when its containers have been removed. */
  preemptPod(pod: Pod, podStatusFunc: (before: PodStatus) => PodStatus, signal?: AbortSignal): Promise<void>;
  /** CPUs that are reserved instead of those of `settings`, such as `0-1`. Default: none. */
  reservedSystemCPUs?: string;
  /** Assigns CPUs, memory and devices to admitted pods; called between the checks of sysctls and predicates. Default: none. */
  allocateResources?: PodAdmitHandler;
  clock: Clock;
  random: Random;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

export interface ClusterNodeOptions {
  nodes: ObjectGetter<Node> & ObjectCreator<Node> & ObjectPatcher<Node>;
  leases: ObjectGetter<Lease> & ObjectCreator<Lease> & ObjectUpdater<Lease>;
  hostname: string;
  architecture: string;
  machine: NodeStatusManagerOptions['machine'];
  network: NetworkFacts;
  settings: NodeStatusSettings;
  leaseDurationSeconds?: number;
  allowedUnsafeSysctls: readonly string[];
  featureGates: Readonly<Record<string, boolean>>;
  onRepeatedHeartbeatFailure(): void;
}

/** The packages of a {@link ClusterNode}. They are an argument because only `joinCluster` imports them. */
export interface ClusterNodePackages {
  nodeStatus: typeof import('@nodeagent/node-status');
  podAdmission: typeof import('@nodeagent/pod-admission');
}

/** Creates a {@link ClusterNode} from `@nodeagent/node-status` and `@nodeagent/pod-admission`. */
export function createClusterNode(packages: ClusterNodePackages, options: ClusterNodeOptions, context: ClusterNodeContext): ClusterNode {
  const { nodeStatus, podAdmission } = packages;
  const { nodeName, informer, runtime, inventory, volumes, storageErrors, shutdownError, preemptPod } = context;
  const { features, devices, pressure, evictionReserves, allocateResources, reservedSystemCPUs } = context;
  const { clock, random, recorder, logger, metrics } = context;
  const { nodes, leases, hostname, architecture, machine, network, settings, leaseDurationSeconds, allowedUnsafeSysctls } = options;
  const { featureGates, onRepeatedHeartbeatFailure } = options;
  const heartbeat = { nodeName, nodes, clock, random, logger, onRepeatedHeartbeatFailure };
  const lease = nodeStatus.createNodeLease({ ...heartbeat, leases, leaseDurationSeconds });
  let ended: AbortSignal | undefined;
  const manager = nodeStatus.createNodeStatusManager({
    ...heartbeat,
    // The Node owns its lease, so the lease is created after the Node.
    onRegistered: () => void lease.start(ended),
    hostname,
    architecture,
    informer,
    machine,
    network,
    recorder,
    runtime: { ...runtime, version: inventory.version },
    images: inventory.images,
    volumes,
    storageErrors,
    shutdownError,
    declaredFeatures: () => nodeStatus.declaredFeatures(features(), featureGates),
    ...(devices && { devices }),
    pressure,
    settings: {
      ...(evictionReserves && { evictionReserves }),
      ...settings,
      ...(reservedSystemCPUs && reserveCpus(settings, reservedSystemCPUs)),
    },
  });
  let initial: Node | undefined;

  return {
    admitHandlers: podAdmission.createNodeAdmission({
      node: () => manager.getNode(),
      ...(devices && { devicesInUse: devices.devicesInUse }),
      fetchNode: (signal) => manager.fetchNode(signal),
      allowedUnsafeSysctls,
      preemptPod,
      ...(allocateResources && { allocateResources }),
      clock,
      recorder,
      logger,
      metrics,
    }),
    syncNodeStatus: () => manager.syncNodeStatus(),
    current: () => informer.get({ name: nodeName }) ?? initial,
    async start(signal) {
      initial = await manager.getNode(signal);
      ended = signal;
      await manager.start(signal);
      if (settings.registerNode === false) await lease.start(signal);
    },
    async stop() {
      await manager.stop();
      await lease.stop();
    },
  };
}
