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
import type { ClusterDynamicResources } from './cluster-dynamic-resources.js';
import { createClusterNode } from './cluster-node.js';
import { createClusterObjects } from './cluster-objects.js';
import type { ClusterStorage } from './cluster-storage.js';
import type { NodeCertificates } from './node-certificates.js';

/** The API calls that an agent makes; a `KubeClient` of `@nodeagent/kube-client` implements it. */
export interface ClusterClient extends ClusterStorage, ClusterDynamicResources {
  pods: ClusterOptions['pods'];
  nodes: InformerSource<Node> & ClusterStorage['nodes'];
  services: InformerSource<Service>;
  secrets: InformerSource<Secret> & ClusterStorage['secrets'];
  configMaps: InformerSource<ConfigMap>;
  runtimeClasses: InformerSource<RuntimeClass>;
  events: ObjectCreator<Event> & ObjectPatcher<Event>;
}

/** Client for heartbeats. Use a dedicated client with a short timeout, so that heartbeats do not queue behind other requests. */
export interface HeartbeatClient {
  nodes: ObjectGetter<Node> & ObjectCreator<Node> & ObjectPatcher<Node>;
  leases: ObjectGetter<Lease> & ObjectCreator<Lease> & ObjectUpdater<Lease>;
  /** Closes idle and open connections. Called after repeated heartbeat failures. */
  closeConnections(): void;
}

/** Options of {@link joinCluster}. */
export interface JoinClusterOptions {
  client: ClusterClient;
  heartbeats: HeartbeatClient;
  /** Writes events. A dedicated client keeps many events from delaying other requests. Default: `client.events`. */
  events?: ClusterClient['events'];
  /** Certificates that the agent rotates. Default: none. */
  certificates?: NodeCertificates;
  /** Value of the label `kubernetes.io/hostname` and of the address of type `Hostname`. */
  hostname: string;
  /** Registration and status settings, with the names of KubeletConfiguration and of the kubelet's flags. Default: the kubelet's. */
  settings?: NodeStatusSettings;
  /** `nodeLeaseDurationSeconds`. Default 40. */
  leaseDurationSeconds?: number;
  /** `allowedUnsafeSysctls`. Default none. */
  allowedUnsafeSysctls?: readonly string[];
  /** Feature gates as configured; the Node does not declare a feature whose gate is off. Default: the kubelet's defaults. */
  featureGates?: Readonly<Record<string, boolean>>;
  /** The machine's architecture as Go names it, such as `amd64`. */
  architecture: string;
  /** Reads the machine's facts for the Node's status. */
  machine: NodeStatusManagerOptions['machine'];
  /** The machine's addresses and name resolution. */
  network: NetworkFacts;
}

/**
 * Creates the `cluster` option of an agent that joins a cluster. The agent registers the Node and reports its status, takes pods from the
 * API server and reports their statuses, creates mirror pods of static pods, reads the objects that pods refer to, and rejects pods that do
 * not fit. Sends no request before the agent starts, and does not reject if the API server is unreachable.
 */
export async function joinCluster(options: JoinClusterOptions): Promise<ClusterOptions> {
  const { client, heartbeats, hostname, architecture, machine, network, settings = {}, leaseDurationSeconds } = options;
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
    architecture,
    machine,
    network,
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
    dynamicResources: client,
    ...(options.certificates && { certificates: options.certificates }),
    createNode: (context) => createClusterNode({ nodeStatus, podAdmission }, nodeOptions, context),
    createObjects: (context) => createClusterObjects(objectStore, client, context),
    createRecorder: (context) => createEventRecorder({ ...context, events: options.events ?? client.events }),
  };
}
