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
import type { NetworkFacts, NodeRuntimeFacts, NodeStatusManagerOptions, NodeStatusSettings } from '@nodeagent/node-status';
import type { RuntimeInventory } from '@nodeagent/runtime-manager';

/** The node as a member of the cluster: reported, kept alive, and asked what fits it. */
export interface ClusterNode extends Startable {
  /** Sysctls and the scheduler's rules, in the kubelet's order. */
  admitHandlers: readonly PodAdmitHandler[];
  /** The Node as last seen, or as it is to be registered; undefined at first. */
  current(): Node | undefined;
  /** Reports the node now. */
  syncNodeStatus(): Promise<void>;
}

/** What an agent tells its {@link ClusterNode}. */
export interface ClusterNodeContext {
  nodeName: string;
  informer: Informer<Node>;
  runtime: Omit<NodeRuntimeFacts, 'version'>;
  inventory: RuntimeInventory;
  /** What the node says of its volumes, and hears of them. */
  volumes: NonNullable<NodeStatusManagerOptions['volumes']>;
  /** What is short on the node. Default: nothing. */
  pressure?: NonNullable<NodeStatusManagerOptions['pressure']>;
  /** What eviction keeps free, which is not for pods; unless `settings` of the node say what. Default: nothing. */
  evictionReserves?: NonNullable<NodeStatusSettings['evictionReserves']>;
  /** What the agent has of the features that a Node declares; see {@link agentFeatures}. */
  features: readonly string[];
  /** Why the node is not ready for volumes. */
  storageErrors(): readonly string[];
  /** `node is shutting down`, while it does. */
  shutdownError(): string | undefined;
  /** The pods that live on the node. */
  activePods(): readonly Pod[];
  /** Ends a pod that makes room for another one; resolves when its containers are gone. */
  preemptPod(pod: Pod, podStatusFunc: (before: PodStatus) => PodStatus, signal?: AbortSignal): Promise<void>;
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
  machine: NodeStatusManagerOptions['machine'];
  network: NetworkFacts;
  settings: NodeStatusSettings;
  leaseDurationSeconds: number;
  allowedUnsafeSysctls: readonly string[];
  featureGates: Readonly<Record<string, boolean>>;
  onRepeatedHeartbeatFailure(): void;
}

/** The packages of a {@link ClusterNode}. They come as an argument because `joinCluster` imports them. */
export interface ClusterNodePackages {
  nodeStatus: typeof import('@nodeagent/node-status');
  podAdmission: typeof import('@nodeagent/pod-admission');
}

/** Creates a {@link ClusterNode} from `@nodeagent/node-status` and `@nodeagent/pod-admission`. */
export function createClusterNode(packages: ClusterNodePackages, options: ClusterNodeOptions, context: ClusterNodeContext): ClusterNode {
  const { nodeStatus, podAdmission } = packages;
  const { nodeName, informer, runtime, inventory, volumes, storageErrors, shutdownError, activePods, preemptPod } = context;
  const { features, pressure, evictionReserves, clock, random, recorder, logger, metrics } = context;
  const { nodes, leases, hostname, machine, network, settings, leaseDurationSeconds, allowedUnsafeSysctls } = options;
  const { featureGates, onRepeatedHeartbeatFailure } = options;
  const heartbeat = { nodeName, nodes, clock, random, logger, onRepeatedHeartbeatFailure };
  const lease = nodeStatus.createNodeLease({ ...heartbeat, leases, leaseDurationSeconds });
  let ended: AbortSignal | undefined;
  const manager = nodeStatus.createNodeStatusManager({
    ...heartbeat,
    // The Node owns its lease: there is none before it.
    onRegistered: () => void lease.start(ended),
    hostname,
    informer,
    machine,
    network,
    recorder,
    runtime: { ...runtime, version: inventory.version },
    images: inventory.images,
    volumes,
    storageErrors,
    shutdownError,
    ...(pressure && { pressure }),
    settings: {
      declaredFeatures: nodeStatus.declaredFeatures(features, featureGates),
      ...(evictionReserves && { evictionReserves }),
      ...settings,
    },
  });
  let initial: Node | undefined;

  return {
    admitHandlers: podAdmission.createNodeAdmission({
      node: () => manager.getNode(),
      fetchNode: manager.fetchNode,
      allowedUnsafeSysctls,
      activePods,
      preemptPod,
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
