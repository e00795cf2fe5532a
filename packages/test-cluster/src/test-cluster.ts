import { errorCode, errorMessage, invalidOption, type KubeObject, NodeAgentError, type Pod } from '@nodeagent/api';
import { loadResourceManagers } from '@nodeagent/core';
import type { ContainerMatch, ImageBehaviour, Program, ProgramImage, Script } from '@nodeagent/memory-runtime';
import { createTestApiServer, type SchedulingExplanation, type TestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock, seededRandom, testingErrorCodes, type VirtualClock } from '@nodeagent/testing';
import { periodSettingsOf } from './agent-periods.js';
import { clusterMetrics, type MetricValue } from './cluster-metrics.js';
import { ClusterNodes } from './cluster-nodes.js';
import { describeCluster, predicateText, type Workload } from './cluster-state.js';
import { type Duration, milliseconds } from './duration.js';
import { createClusterNetwork } from './network/cluster-network.js';
import { nodePermissions } from './node-permissions.js';
import { nodeOptionsOf, type TestClusterOptions, type TestNodeOptions } from './options.js';
import { createSimulatedNode, type TestNode } from './simulated-node.js';
import { type ClusterTrace, createTrace } from './trace.js';

const workloadResources = ['deployments', 'statefulsets', 'daemonsets', 'jobs'];

/**
 * A cluster in one process and in virtual time: an API server with a scheduler and controllers, and nodes with real agents
 * and simulated containers. Only the machines are simulated, and the same seed gives the same run.
 */
export interface TestCluster {
  readonly clock: VirtualClock;
  readonly server: TestApiServer;
  /** In the order in which they were added. */
  readonly nodes: readonly TestNode[];
  /** Throws `UnknownNode`. */
  node(name: string): TestNode;
  /** Adds a node; resolves when its agent has started, which is before it is ready. */
  addNode(options?: TestNodeOptions): Promise<TestNode>;
  /** Stops the node's agent and removes the node; its Node object stays until it is deleted, as in a cluster. */
  removeNode(name: string): Promise<void>;
  /** Sets how containers behave on all present and future nodes; see `MemoryRuntime.script`. */
  script(match: string | ContainerMatch, behaviour: Script): void;
  scriptImage(name: string, behaviour: ImageBehaviour): void;
  /** Runs a program in the containers of an image, on all present and future nodes; see `MemoryRuntime.programImage`. */
  image(name: string, program: Program, image?: ProgramImage): void;
  /**
   * Sets the value of a custom or external metric, such as the length of a queue, which HorizontalPodAutoscalers read every 15 s. For values that
   * differ between pods or objects: a function. The usage of CPU and memory is that in the scripts of containers.
   */
  metric(name: string, value: MetricValue): void;
  /**
   * Creates an object without a client, or changes the existing one by server-side apply; see `ServerObjects.apply`.
   */
  apply<T extends KubeObject>(object: T, options?: { force?: boolean }): T;
  /** The pod in the API server. Default namespace `default`. */
  pod(name: string, namespace?: string): Pod | undefined;
  /** Sorted by namespace and name. */
  pods(selection?: { namespace?: string; labelSelector?: string; fieldSelector?: string }): Pod[];
  /** Why the pod gets its node, or none: each node with the scheduler's reason against it or its scores. See `TestApiServer.why`. */
  why(pod: string, namespace?: string): SchedulingExplanation | undefined;
  /** Advances virtual time by milliseconds, or by a text such as `5m`. */
  advance(duration: Duration): Promise<void>;
  /**
   * Advances until the predicate holds. Rejects after `limit` with `ConditionNotMet`, the predicate and the state of the cluster. Default
   * limit 10 minutes.
   */
  until(predicate: () => boolean, limit?: Duration): Promise<void>;
  readonly trace: ClusterTrace;
  /** Stops the agents and the server. Resolves to the number of timers left: 0 unless there is a leak. Idempotent. */
  stop(): Promise<number>;
}

/** Creates a cluster whose nodes are ready, see {@link TestCluster}. Throws `InvalidOption`. */
export async function createTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { seed = 1, traceLimit = 10_000, faults = {}, periods = 'kubelet' } = options;
  const firstNodes = nodeOptionsOf(options);
  const periodSettings = periodSettingsOf(periods);
  const clock =
    options.clock ?? createVirtualClock({ settleIO: () => server.quiet(), ...(options.start !== undefined && { start: options.start }) });
  if (typeof clock.advance !== 'function') throw invalidOption('clock', 'a virtual clock', clock);
  const random = seededRandom(seed);
  const trace = createTrace(clock, traceLimit);
  const nodes = new ClusterNodes((own) => createSimulatedNode({ ...own, clock, server, random, trace, periodSettings, network }));
  const metricValues = new Map<string, MetricValue>();
  const server = createTestApiServer({
    scheduler: true,
    workloads: true,
    endpointSlices: true,
    disruptionBudgets: true,
    volumeBinder: true,
    resourceClaims: true,
    nodeLifecycle: periodSettings.nodeLifecycle,
    nodeServers: (name) => nodes.byName.get(name)?.httpServer,
    podServers: (address, port) => network.podServer(address, port),
    horizontalPodAutoscalers: true,
    metrics: clusterMetrics(nodes.byName, metricValues),
    ...(periodSettings.bookmarkPeriodMs && { bookmarkPeriodMs: periodSettings.bookmarkPeriodMs }),
    ...options.server,
    clock,
    random: seededRandom(random() * 2 ** 32),
    ...(traceLimit > 0 && { onRequest: trace.request }),
  });
  const network = createClusterNetwork({ clock, server, nodes: nodes.byName });
  const until = untilIn({ clock, server, nodes: nodes.all });
  let stopped: Promise<number> | undefined;

  if (options.server?.authorizer === 'rbac') for (const object of nodePermissions) server.objects.create(object);
  await loadPackages(firstNodes);
  for (const each of firstNodes) nodes.add(each);
  await Promise.all(nodes.all.map((each) => each.restart()));
  await untilReady(nodes.all, until);
  for (const fault of faults.cri ?? []) nodes.onAll((each) => void each.runtime.fault(fault));
  for (const fault of faults.api ?? []) server.fault(fault);

  return {
    clock,
    server,
    nodes: nodes.all,
    node: (name) => nodes.get(name),
    async addNode(nodeOptions = {}) {
      const ownOptions = { ...options.node, ...nodeOptions };
      await loadPackages([ownOptions]);
      const added = nodes.add(ownOptions);
      await added.restart();
      return added;
    },
    async removeNode(name) {
      const removed = nodes.get(name);
      if (removed.isUp) await clock.run(removed.stop());
      nodes.remove(removed);
    },
    script: (match, behaviour) => nodes.onAll(({ runtime }) => runtime.script(match, behaviour)),
    image: (name, program, image) => nodes.onAll(({ runtime }) => runtime.programImage(name, program, image)),
    scriptImage: (name, behaviour) => nodes.onAll(({ runtime }) => runtime.scriptImage(name, behaviour)),
    metric: (name, value) => void metricValues.set(name, value),
    apply: (object, applyOptions) => server.objects.apply(object, applyOptions),
    pod: (name, namespace) => server.objects.get<Pod>('pods', name, namespace),
    pods: (selection) => server.objects.list<Pod>('pods', selection),
    why: (pod, namespace) => server.why(pod, namespace),
    advance: (duration) => clock.advance(milliseconds(duration)),
    until,
    trace,
    stop() {
      stopped ??= end({ clock, server, nodes: nodes.all });
      return stopped;
    },
  };
}

type ClusterParts = Pick<TestCluster, 'clock' | 'server' | 'nodes'>;

/** Advances until a predicate holds, and adds the state of the cluster to the error if it does not. */
function untilIn({ clock, server, nodes }: ClusterParts): TestCluster['until'] {
  const state = () => {
    const workloads = workloadResources.flatMap((resource) => server.objects.list<Workload & KubeObject>(resource));
    return describeCluster(clock.now(), nodes, workloads, server.objects.list<Pod>('pods'));
  };
  return async (predicate, limit = '10m') => {
    try {
      await clock.until(predicate, milliseconds(limit));
    } catch (error) {
      if (errorCode(error) !== testingErrorCodes.conditionNotMet) throw error;
      const waited = `${errorMessage(error)}: ${predicateText(predicate)}`;
      throw new NodeAgentError(testingErrorCodes.conditionNotMet, `${waited}\n  ${state()}`, { cause: error });
    }
  };
}

/** The predicate runs after every timer, and asks each node only until it is ready. */
async function untilReady(nodes: readonly TestNode[], until: TestCluster['until']): Promise<void> {
  const unready = [...nodes];
  await until(() => {
    while (unready.at(-1)?.condition('Ready') === 'True') unready.pop();
    return unready.length === 0;
  });
}

/** Stops the agents and the server; returns the number of timers left. */
async function end({ clock, server, nodes }: ClusterParts): Promise<number> {
  await clock.run(Promise.all(nodes.filter(({ isUp }) => isUp).map((each) => each.stop())));
  // The scripted exits of containers are timers, too.
  for (const { runtime } of nodes) runtime.reboot();
  await server.close();
  await clock.settle();
  return clock.pending;
}

/** Loads packages that agents otherwise load at their start: in virtual time they must not wait for I/O. */
async function loadPackages(nodes: readonly TestNodeOptions[]): Promise<void> {
  if (nodes.some(({ agent }) => agent?.resourceManagers || agent?.settings?.devicePlugins)) await loadResourceManagers();
}
