import type {
  Clock,
  EventRecorder,
  Informer,
  InformerSource,
  Logger,
  Metrics,
  Node,
  ObjectCreator,
  ObjectDeleter,
  ObjectGetter,
  ObjectPatcher,
  Pod,
  Random,
  RuntimeClass,
  Startable,
  StatusSink,
} from '@nodeagent/api';
import { isStaticPod } from '@nodeagent/api/helpers';
import { type ApiServerSource, createApiServerSource, createMirrorPods, type MirrorPods, type PodManager } from '@nodeagent/pod-sources';
import { lookupRuntimeHandler } from '@nodeagent/runtime-manager';
import { createApiStatusSink } from '@nodeagent/status-manager';
import { type ClusterConnection, createClusterConnection } from './cluster-connection.js';
import type { ClusterDynamicResources } from './cluster-dynamic-resources.js';
import { cachedRuntimeClasses, startInformers } from './cluster-informers.js';
import type { ClusterNode, ClusterNodeContext } from './cluster-node.js';
import type { ClusterObjects } from './cluster-objects.js';
import type { ClusterStorage } from './cluster-storage.js';
import type { NodeCertificates } from './node-certificates.js';

/** The API server as seen by an agent. Only `pods` is required; {@link joinCluster} creates all of it. */
export interface ClusterOptions {
  pods: InformerSource<Pod> & ObjectGetter<Pod> & ObjectCreator<Pod> & ObjectPatcher<Pod> & ObjectDeleter;
  /** Nodes. Default: none, and static pods get no mirror pods, because the Node owns those. */
  nodes?: InformerSource<Node>;
  /** Services, secrets and config maps for environments and image pulls. Default: none. */
  createObjects?(context: Pick<ClusterContext, 'clock' | 'logger'>): ClusterObjects;
  /** Creates the recorder that writes events to the API server. Default: none, events are not written. */
  createRecorder?(context: Pick<ClusterContext, 'nodeName' | 'clock' | 'random' | 'logger' | 'metrics'>): EventRecorder & Startable;
  /** Storage objects. Default: none; pods with claims wait, tokens are unavailable, and CSI drivers are not registered with the cluster. */
  storage?: Partial<ClusterStorage>;
  /** Certificates that the agent rotates. Default: none. */
  certificates?: NodeCertificates;
  /** RuntimeClasses. Default: none; only pods without a runtime class run. */
  runtimeClasses?: InformerSource<RuntimeClass>;
  /** Resource claims of pods. Default: none; pods with resource claims wait. */
  dynamicResources?: ClusterDynamicResources;
  /**
   * Registers the node, reports its status and admits pods by its resources; requires `nodes`. Default: none, another component manages the
   * Node.
   */
  createNode?(context: ClusterNodeContext): ClusterNode;
}

export interface ClusterParts {
  /** Informers and node status reporting. Starting them does not wait for an unreachable API server. */
  members: readonly Startable[];
  connection: ClusterConnection;
  objects: ClusterObjects | undefined;
  /** Resolves to the CRI handler of a runtime class. */
  runtimeHandler?: (runtimeClassName: string) => Promise<string>;
  node: ClusterNode | undefined;
  source: ApiServerSource;
  statusSink: StatusSink;
  mirrorPods: MirrorPods;
}

export interface ClusterContext {
  cluster: ClusterOptions;
  nodeName: string;
  podManager: PodManager;
  couldHaveRunningContainers(uid: string): boolean;
  /** What the node status reports about the other parts. */
  nodeContext: Pick<
    ClusterNodeContext,
    | 'runtime'
    | 'inventory'
    | 'volumes'
    | 'devices'
    | 'features'
    | 'storageErrors'
    | 'shutdownError'
    | 'preemptPod'
    | 'pressure'
    | 'evictionReserves'
    | 'allocateResources'
    | 'reservedSystemCPUs'
    | 'recorder'
  >;
  onConnection(error: string | undefined): void;
  clock: Clock;
  random: Random;
  logger: Logger;
  metrics: Metrics;
  /** Aborted when the agent stops. */
  signal: AbortSignal;
}

/** The parts that only an agent in a cluster has: pod source, status sink and mirror pods. */
export function createClusterParts(context: ClusterContext): ClusterParts {
  const { cluster, nodeName, podManager, couldHaveRunningContainers, clock, random, logger, metrics, signal } = context;
  const { pods, nodes } = cluster;
  const nodeInformer = nodes?.informer({ fieldSelector: `metadata.name=${nodeName}` });
  const objects = cluster.createObjects?.({ clock, logger });
  const classes = cluster.runtimeClasses?.informer();
  const nodeNow = () => nodeInformer?.get({ name: nodeName });
  const source = createApiServerSource({ nodeName, pods, clock, logger, nodeSynced: nodeInformer });
  const mirrorPods = createMirrorPods({ pods, node: nodeNow, clock, logger, signal });
  nodeInformer?.onChange((change) => {
    cluster.certificates?.setAddresses(nodeNow()?.status?.addresses ?? []);
    const registered = change === undefined || change.old === undefined;
    if (!registered || nodeNow() === undefined) return;
    for (const pod of podManager.pods().filter(isStaticPod)) void mirrorPods.reconcile(pod, podManager.mirrorPodByPod(pod));
  });
  const node =
    nodeInformer && cluster.createNode?.({ ...context.nodeContext, nodeName, informer: nodeInformer, clock, random, logger, metrics });
  const informers = [nodeInformer, classes].filter((informer) => informer !== undefined) as Informer<never>[];
  return {
    members: [startInformers(informers, signal, logger), ...[objects, node].filter((member) => member !== undefined)],
    connection: createClusterConnection([nodeInformer ?? {}, source.informer], nodeName, context.onConnection),
    objects,
    ...(classes && { runtimeHandler: lookupRuntimeHandler(cachedRuntimeClasses(classes)) }),
    node,
    source,
    mirrorPods,
    statusSink: createApiStatusSink({
      clock,
      random,
      pods,
      informer: source.informer,
      lookup: podManager,
      couldHaveRunningContainers,
      logger,
      metrics,
    }),
  };
}
