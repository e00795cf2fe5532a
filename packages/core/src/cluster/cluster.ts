import {
  type Clock,
  type EventRecorder,
  type Informer,
  type InformerSource,
  isStaticPod,
  type Logger,
  type Metrics,
  type Node,
  type ObjectCreator,
  type ObjectDeleter,
  type ObjectGetter,
  type ObjectPatcher,
  type Pod,
  type Random,
  type RuntimeClass,
  type Startable,
  type StatusSink,
} from '@nodeagent/api';
import { type ApiServerSource, createApiServerSource, createMirrorPods, type MirrorPods, type PodManager } from '@nodeagent/pod-sources';
import { lookupRuntimeHandler } from '@nodeagent/runtime-manager';
import { createApiStatusSink } from '@nodeagent/status-manager';
import { type ClusterConnection, createClusterConnection } from './cluster-connection.js';
import { copiedRuntimeClasses, startedTogether } from './cluster-informers.js';
import type { ClusterNode, ClusterNodeContext } from './cluster-node.js';
import type { ClusterObjects } from './cluster-objects.js';
import type { ClusterStorage } from './cluster-storage.js';

/** The API server, as far as an agent needs it: only `pods` has to be there. {@link joinCluster} makes all of it. */
export interface ClusterOptions {
  pods: InformerSource<Pod> & ObjectGetter<Pod> & ObjectCreator<Pod> & ObjectPatcher<Pod> & ObjectDeleter;
  /** Without it static pods have no mirrors: those belong to the node. */
  nodes?: InformerSource<Node>;
  /** Services, secrets and config maps for environments and image pulls. Default: there are none. */
  createObjects?(context: Pick<ClusterContext, 'clock' | 'logger'>): ClusterObjects;
  /** Where events go. Default: nowhere. */
  createRecorder?(context: Pick<ClusterContext, 'nodeName' | 'clock' | 'random' | 'logger' | 'metrics'>): EventRecorder & Startable;
  /** What volumes ask of it, as much of it as there is. Without: pods with claims wait, there are no tokens, nobody hears of CSI drivers. */
  storage?: Partial<ClusterStorage>;
  /** Default: only pods without a class run. */
  runtimeClasses?: InformerSource<RuntimeClass>;
  /** Registers the node, reports it, and refuses pods that do not fit; needs `nodes`. Default: the node is somebody else's work. */
  createNode?(context: ClusterNodeContext): ClusterNode;
}

export interface ClusterParts {
  /** Follows the API server and keeps the node reported; does not wait for an API server that is away. */
  members: readonly Startable[];
  connection: ClusterConnection;
  objects: ClusterObjects | undefined;
  /** The CRI handler of a runtime class. */
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
  /** What the node says of the rest of the agent. */
  nodeContext: Pick<
    ClusterNodeContext,
    | 'runtime'
    | 'inventory'
    | 'volumes'
    | 'features'
    | 'storageErrors'
    | 'shutdownError'
    | 'activePods'
    | 'preemptPod'
    | 'pressure'
    | 'evictionReserves'
    | 'recorder'
  >;
  onConnection(error: string | undefined): void;
  clock: Clock;
  random: Random;
  logger: Logger;
  metrics: Metrics;
  /** The agent's end. */
  signal: AbortSignal;
}

/** What an agent that belongs to a cluster has beside others: the source of its pods, the way back of their statuses, mirrors of static pods. */
export function createClusterParts(context: ClusterContext): ClusterParts {
  const { cluster, nodeName, podManager, couldHaveRunningContainers, clock, random, logger, metrics, signal } = context;
  const { pods, nodes } = cluster;
  const nodeInformer = nodes?.informer({ fieldSelector: `metadata.name=${nodeName}` });
  const objects = cluster.createObjects?.({ clock, logger });
  const classes = cluster.runtimeClasses?.informer();
  const nodeNow = () => nodeInformer?.get({ name: nodeName });
  const source = createApiServerSource({ nodeName, pods, clock, logger, ...(nodeInformer && { nodeSynced: nodeInformer }) });
  const mirrorPods = createMirrorPods({ pods, node: nodeNow, clock, logger, signal });
  nodeInformer?.onChange((change) => {
    const registered = change === undefined || change.old === undefined;
    if (!registered || nodeNow() === undefined) return;
    for (const pod of podManager.pods().filter(isStaticPod)) void mirrorPods.reconcile(pod, podManager.mirrorPodByPod(pod));
  });
  const node =
    nodeInformer && cluster.createNode?.({ ...context.nodeContext, nodeName, informer: nodeInformer, clock, random, logger, metrics });
  const informers = [nodeInformer, classes].filter((informer) => informer !== undefined) as Informer<never>[];
  return {
    members: [startedTogether(informers, signal, logger), ...[objects, node].filter((member) => member !== undefined)],
    connection: createClusterConnection([nodeInformer ?? {}, source.informer], nodeName, context.onConnection),
    objects,
    ...(classes && { runtimeHandler: lookupRuntimeHandler(copiedRuntimeClasses(classes)) }),
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
