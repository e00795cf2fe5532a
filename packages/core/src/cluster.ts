import {
  type Clock,
  errorMessage,
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
  type Startable,
} from '@nodeagent/api';
import { type ApiServerSource, createApiServerSource, createMirrorPods, type MirrorPods, type PodManager } from '@nodeagent/pod-sources';
import { createApiStatusSink, type StatusSink } from '@nodeagent/status-manager';

/** The API server, as far as an agent's pods need it. */
export interface ClusterOptions {
  pods: InformerSource<Pod> & ObjectGetter<Pod> & ObjectCreator<Pod> & ObjectPatcher<Pod> & ObjectDeleter;
  /** Without it static pods have no mirrors: those belong to the node. */
  nodes?: InformerSource<Node>;
}

export interface ClusterParts {
  /** Follows the node itself; does not wait for an API server that is away. */
  node: Startable;
  source: ApiServerSource;
  statusSink: StatusSink;
  mirrorPods: MirrorPods;
}

export interface ClusterContext {
  cluster: ClusterOptions;
  nodeName: string;
  podManager: PodManager;
  couldHaveRunningContainers(uid: string): boolean;
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
  const node = nodes?.informer({ fieldSelector: `metadata.name=${nodeName}` });
  const nodeNow = () => node?.get({ name: nodeName });
  const source = createApiServerSource({ nodeName, pods, clock, logger, ...(node && { nodeSynced: node }) });
  const mirrorPods = createMirrorPods({ pods, node: nodeNow, clock, logger, signal });
  node?.onChange((change) => {
    const registered = change === undefined || change.old === undefined;
    if (!registered || nodeNow() === undefined) return;
    for (const pod of podManager.pods().filter(isStaticPod)) void mirrorPods.reconcile(pod, podManager.mirrorPodByPod(pod));
  });
  return {
    node: {
      async start() {
        node?.start(signal).catch((error) => logger.error({ error: errorMessage(error) }, 'following this node failed'));
      },
      stop: async () => node?.stop(),
    },
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
