import { invalidOption, type KubeObject, NodeAgentError, type Pod } from '@nodeagent/api';
import type { ContainerMatch, ImageBehaviour, Script } from '@nodeagent/memory-runtime';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock, seededRandom, type VirtualClock } from '@nodeagent/testing';
import { clusterMetrics } from './cluster-metrics.js';
import { type Duration, milliseconds } from './duration.js';
import { testClusterErrorCodes } from './errors.js';
import { nodeOptionsOf, type TestClusterOptions, type TestNodeOptions } from './options.js';
import { tempoOf } from './rhythm.js';
import { createSimulatedNode, type TestNode } from './simulated-node.js';
import { type ClusterTrace, createTrace } from './trace.js';

/**
 * A cluster that lives in one process and in virtual time: an API server with a scheduler and controllers, and nodes with real agents
 * whose containers only pretend. Nothing of it is mocked but the machines, and the same seed gives the same run.
 */
export interface TestCluster {
  readonly clock: VirtualClock;
  readonly server: TestApiServer;
  /** In the order in which they came. */
  readonly nodes: readonly TestNode[];
  /** Throws `UnknownNode`. */
  node(name: string): TestNode;
  /** Adds a node; resolves when its agent has started, which is before it is ready. */
  addNode(options?: TestNodeOptions): Promise<TestNode>;
  /** Stops the node's agent and forgets the node; its Node object stays, as in a cluster, until somebody deletes it. */
  removeNode(name: string): Promise<void>;
  /** How containers behave on all nodes, also on those that come later; see `MemoryRuntime.script`. */
  script(match: string | ContainerMatch, behaviour: Script): void;
  scriptImage(name: string, behaviour: ImageBehaviour): void;
  /** Creates an object by the hand of the test; see `ServerObjects.create`. */
  apply<T extends KubeObject>(object: T): T;
  /** As the API server has it. Namespace default `default`. */
  pod(name: string, namespace?: string): Pod | undefined;
  /** Sorted by namespace and name. */
  pods(selection?: { namespace?: string; labelSelector?: string; fieldSelector?: string }): Pod[];
  /** Lets time pass: milliseconds, or text such as `5m`. */
  advance(duration: Duration): Promise<void>;
  /** Lets time pass until something holds; rejects once it does not after `limit`. Default limit 10 minutes. */
  until(predicate: () => boolean, limit?: Duration): Promise<void>;
  readonly trace: ClusterTrace;
  /** Ends the agents and the server, and says how many timers are left: 0, unless something leaks. Idempotent. */
  stop(): Promise<number>;
}

/** A cluster whose nodes are ready, see {@link TestCluster}. Throws `InvalidOption` naming an option that cannot be. */
export async function createTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { seed = 1, traceLimit = 10_000, faults = {}, rhythm = 'kubelet' } = options;
  const firstNodes = nodeOptionsOf(options);
  const tempo = tempoOf(rhythm);
  const clock =
    options.clock ?? createVirtualClock({ settleIO: () => server.quiet(), ...(options.start !== undefined && { start: options.start }) });
  if (typeof clock.advance !== 'function') throw invalidOption('clock', 'a virtual clock', clock);
  const random = seededRandom(seed);
  const trace = createTrace(clock, traceLimit);
  const nodes: TestNode[] = [];
  const byName = new Map<string, TestNode>();
  const server = createTestApiServer({
    scheduler: true,
    workloads: true,
    nodeServers: (name) => byName.get(name)?.httpServer,
    metrics: clusterMetrics(byName),
    ...(tempo.bookmarkPeriodMs && { bookmarkPeriodMs: tempo.bookmarkPeriodMs }),
    ...options.server,
    clock,
    random: seededRandom(random() * 2 ** 32),
    ...(traceLimit > 0 && { onRequest: trace.request }),
  });
  const scripts: ((node: TestNode) => void)[] = [];
  let made = 0;
  let stopped: Promise<number> | undefined;

  const make = (nodeOptions: TestNodeOptions): TestNode => {
    const index = made++;
    const { name = `node-${index + 1}` } = nodeOptions;
    if (byName.has(name)) throw new NodeAgentError(testClusterErrorCodes.unknownNode, `there is a node "${name}" already`);
    const node = createSimulatedNode({ ...nodeOptions, name, index, clock, server, random, trace, tempo });
    for (const script of scripts) script(node);
    nodes.push(node);
    byName.set(name, node);
    return node;
  };
  const onAll = (script: (node: TestNode) => void) => {
    scripts.push(script);
    for (const node of nodes) script(node);
  };
  const node = (name: string): TestNode => {
    const found = byName.get(name);
    if (found) return found;
    throw new NodeAgentError(testClusterErrorCodes.unknownNode, `there is no node "${name}"`);
  };
  const until = (predicate: () => boolean, limit: Duration = '10m') => clock.until(predicate, milliseconds(limit));

  const end = async (): Promise<number> => {
    await clock.run(Promise.all(nodes.filter(({ up }) => up).map((each) => each.stop())));
    await server.close();
    await clock.settle();
    return clock.pending;
  };

  for (const each of firstNodes) make(each);
  await Promise.all(nodes.map((each) => each.restart()));
  // Asked after every timer: of each node only until it is ready.
  const unready = [...nodes];
  await until(() => {
    while (unready.at(-1)?.condition('Ready') === 'True') unready.pop();
    return unready.length === 0;
  });
  for (const fault of faults.cri ?? []) onAll((each) => void each.runtime.fault(fault));
  for (const fault of faults.api ?? []) server.fault(fault);

  return {
    clock,
    server,
    nodes,
    node,
    async addNode(nodeOptions = {}) {
      const added = make({ ...options.node, ...nodeOptions });
      await added.restart();
      return added;
    },
    async removeNode(name) {
      const removed = node(name);
      if (removed.up) await clock.run(removed.stop());
      nodes.splice(nodes.indexOf(removed), 1);
      byName.delete(name);
    },
    script: (match, behaviour) => onAll(({ runtime }) => runtime.script(match, behaviour)),
    scriptImage: (name, behaviour) => onAll(({ runtime }) => runtime.scriptImage(name, behaviour)),
    apply: (object) => server.objects.create(object),
    pod: (name, namespace) => server.objects.get<Pod>('pods', name, namespace),
    pods: (selection) => server.objects.list<Pod>('pods', selection),
    advance: (duration) => clock.advance(milliseconds(duration)),
    until,
    trace,
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
}
