import type {
  ConfigMap,
  Event,
  InformerSource,
  Lease,
  Node,
  ObjectCreator,
  ObjectGetter,
  ObjectPatcher,
  ObjectUpdater,
  RuntimeClass,
  Secret,
  Service,
} from '@nodeagent/api';
import { createEventRecorder } from '@nodeagent/event-recorder';
import type { NetworkFacts, NodeStatusManagerOptions, NodeStatusSettings } from '@nodeagent/node-status';
import type { ClusterOptions } from './cluster.js';
import { createClusterNode } from './cluster-node.js';
import { createClusterObjects } from './cluster-objects.js';
import type { ClusterStorage } from './cluster-storage.js';

/** What an agent asks of the API server; a `KubeClient` of `@nodeagent/kube-client` is one. */
export interface ClusterClient extends ClusterStorage {
  pods: ClusterOptions['pods'];
  nodes: InformerSource<Node> & ClusterStorage['nodes'];
  services: InformerSource<Service>;
  secrets: InformerSource<Secret> & ClusterStorage['secrets'];
  configMaps: InformerSource<ConfigMap>;
  runtimeClasses: InformerSource<RuntimeClass>;
  events: ObjectCreator<Event> & ObjectPatcher<Event>;
}

/** What says that the node is alive; better a client of its own, which waits behind nothing else and gives up soon. */
export interface HeartbeatClient {
  nodes: ObjectGetter<Node> & ObjectCreator<Node> & ObjectPatcher<Node>;
  leases: ObjectGetter<Lease> & ObjectCreator<Lease> & ObjectUpdater<Lease>;
  /** Called when heartbeats fail again and again. */
  closeConnections(): void;
}

/** Options of {@link joinCluster}. */
export interface JoinClusterOptions {
  client: ClusterClient;
  heartbeats: HeartbeatClient;
  /** Writes events; better a client of its own, so that many of them hold up nothing else. Default: `client`'s. */
  events?: ClusterClient['events'];
  /** The agent's own folder, whose file system counts as the node's local storage. */
  rootDir: string;
  /** What the label `kubernetes.io/hostname` and the address say. */
  hostname: string;
  /** Registration and reports, with the names of KubeletConfiguration and of the kubelet's flags. Default: the kubelet's. */
  settings?: NodeStatusSettings;
  /** `nodeLeaseDurationSeconds`. Default 40. */
  leaseDurationSeconds?: number;
  /** `allowedUnsafeSysctls`. Default none. */
  allowedUnsafeSysctls?: readonly string[];
  /** Feature gates as configured: a feature whose gate is off is not declared by the Node. Default: all are as in a kubelet. */
  featureGates?: Readonly<Record<string, boolean>>;
  /** Default: read from this machine. */
  machine?: NodeStatusManagerOptions['machine'];
  /** Default: this machine's. */
  network?: NetworkFacts;
}

/**
 * The `cluster` of an agent that is a node of a cluster: registers it and reports it, takes pods from the API server and tells their
 * statuses, has mirrors of static pods, reads what containers refer to, and refuses pods that do not fit. Asks the API server for nothing
 * before the agent starts, and rejects for no API server that is away.
 */
export async function joinCluster(options: JoinClusterOptions): Promise<ClusterOptions> {
  const { client, heartbeats, rootDir, hostname, settings = {}, leaseDurationSeconds = 40 } = options;
  const { allowedUnsafeSysctls = [], featureGates = {} } = options;
  const [nodeStatus, podAdmission, objectStore] = await Promise.all([
    import('@nodeagent/node-status'),
    import('@nodeagent/pod-admission'),
    import('@nodeagent/object-store'),
  ]);
  const { pods, nodes, runtimeClasses } = client;
  const nodeOptions = {
    nodes: heartbeats.nodes,
    leases: heartbeats.leases,
    hostname,
    machine: options.machine ?? nodeStatus.createMachineReader({ stateDirectory: rootDir }),
    network: options.network ?? nodeStatus.createNetworkReader(),
    settings,
    leaseDurationSeconds,
    allowedUnsafeSysctls,
    featureGates,
    onRepeatedHeartbeatFailure: () => heartbeats.closeConnections(),
  };
  return {
    pods,
    nodes,
    runtimeClasses,
    storage: client,
    createNode: (context) => createClusterNode({ nodeStatus, podAdmission }, nodeOptions, context),
    createObjects: (context) => createClusterObjects(objectStore, client, context),
    createRecorder: (context) => createEventRecorder({ ...context, events: options.events ?? client.events }),
  };
}
