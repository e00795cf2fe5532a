import { type Node, NodeAgentError, type Random } from '@nodeagent/api';
import {
  createMemoryFiles,
  createMemoryPodDirs,
  createNodeAgent,
  type JoinClusterOptions,
  joinCluster,
  type NodeAgent,
} from '@nodeagent/core';
import { createKubeClient } from '@nodeagent/kube-client';
import { createMemoryRuntime, type MemoryRuntime } from '@nodeagent/memory-runtime';
import type { InProcessNodeServer, TestApiServer } from '@nodeagent/test-api-server';
import { seededRandom, type VirtualClock } from '@nodeagent/testing';
import { testClusterErrorCodes } from './errors.js';
import { createLife, type Life } from './life.js';
import { podAddresses, simulatedMachine } from './machine.js';
import { createNodeLink, type PartitionKind } from './node-link.js';
import type { SimulatedAgentOptions, TestNodeOptions } from './options.js';
import { type MachineUsage, ownUsage } from './own-usage.js';
import type { Tempo } from './rhythm.js';
import { simulatedProbes } from './simulated-probes.js';
import { createSimulatedServer } from './simulated-server.js';
import { createSimulatedStats } from './simulated-stats.js';
import type { TraceWriter } from './trace.js';

/** What of a node breaks down. */
export type CrashKind = 'agent' | 'machine';

/** A node of a test cluster: a machine that is only figures, a runtime whose containers only pretend, and a real agent. */
export interface TestNode {
  readonly name: string;
  /** The node's container runtime: scripts, faults, its own crash, and what there is. It outlives agents. */
  readonly runtime: MemoryRuntime;
  /** The agent that runs now, or the last one that did. */
  readonly agent: NodeAgent;
  /** Whether the agent runs. */
  readonly up: boolean;
  /** The Node object as the API server has it. */
  object(): Node | undefined;
  /** Status of the Node's condition of this type, such as `Ready`. */
  condition(type: string): string | undefined;
  /** What the machine itself uses from now on, beside its pods; what is absent stays. Its agent evicts pods if too little is left. */
  pressure(usage: MachineUsage): void;
  /**
   * Breaks down at once. `agent`, as `kill -9`: containers live on. `machine`, as a power failure: containers have exited, and the
   * runtime is gone too. Default `agent`.
   */
  crash(kind?: CrashKind): void;
  /** Brings back what crashed; an agent that runs is stopped first, as by an upgrade. Resolves when the new agent has started. */
  restart(): Promise<void>;
  /** Ends the agent and leaves its containers running. */
  stop(): Promise<void>;
  /** Cuts the node off from the API server. Default `refused`. */
  partition(kind?: PartitionKind): void;
  /** Ends the partition. */
  heal(): void;
  readonly partitioned: boolean;
  /** What the API server asks of the node's own server. */
  readonly httpServer: InProcessNodeServer;
}

export interface SimulatedNodeOptions extends TestNodeOptions {
  name: string;
  /** The how many-th node of the cluster it is, from 0 on. */
  index: number;
  clock: VirtualClock;
  server: TestApiServer;
  random: Random;
  trace: TraceWriter;
  tempo: Tempo;
}

/** Where events go that nobody is to read. */
const noEvents: NonNullable<JoinClusterOptions['events']> = {
  create: async (event) => event,
  patch: async () => ({ metadata: {}, involvedObject: {} }),
};

const rootDir = '/var/lib/nodeagent';

/** A node that has to be started: by `restart`. */
export function createSimulatedNode(options: SimulatedNodeOptions): TestNode {
  const {
    name,
    index,
    clock,
    server,
    random,
    trace,
    tempo,
    labels,
    taints,
    capacity,
    events = true,
    agent: agentOptions,
    wrap = (same) => same,
  } = options;
  const machine = simulatedMachine(name, index, capacity);
  const runtime = createMemoryRuntime({
    podIPs: podAddresses(index),
    recordCalls: 0,
    ...options.runtime,
    clock,
    seed: name,
    onCall: trace.calls(name),
  });
  const files = createMemoryFiles();
  const podDirs = createMemoryPodDirs(files);
  const user = { username: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
  const link = createNodeLink({ handle: (request) => server.handle({ ...request, user }) });
  let usage: MachineUsage = {};
  const stats = createSimulatedStats({
    nodeName: name,
    clock,
    runtime,
    capacity: machine.capacity,
    own: () => ownUsage(usage, machine.capacity),
  });
  const httpServer = createSimulatedServer({ clock, runtime, stats, reachable: () => isUp() && link.partition === undefined });
  let current: { agent: NodeAgent; life: Life } | undefined;
  let machineDown = false;
  let memoryIsShort = () => {};
  let boots = 1;

  const begin = async (): Promise<void> => {
    const life = createLife(clock);
    const client = (qps: number) =>
      createKubeClient({
        cluster: { server: 'https://simulated:6443' },
        transport: link.transport(life),
        clock: life.clock,
        random: seededRandom(random() * 2 ** 32),
        qps,
        timeouts: tempo.watches,
        // Of thousands of pods, every node would have a copy that nobody reads.
        keepManagedFields: false,
      });
    const agentsOwn: SimulatedAgentOptions = {
      sources: [],
      rootDir,
      random: seededRandom(random() * 2 ** 32),
      stats,
      eviction: {
        settings: tempo.eviction,
        memoryEvents: {
          watch(onEvent, signal) {
            memoryIsShort = () => void (signal.aborted || onEvent());
          },
        },
      },
      ...agentOptions,
      settings: { resolvConf: '', ...tempo.settings, ...agentOptions?.settings },
      parts: {
        files,
        podDirs,
        machine: machine.facts,
        hostIps: [machine.address],
        runProbe: simulatedProbes(runtime),
        ...agentOptions?.parts,
      },
      nodeName: name,
      clock: life.clock,
      cri: { runtime: life.bind(runtime.runtime), image: life.bind(runtime.image) },
      cluster: await joinCluster({
        client: client(50),
        heartbeats: client(0),
        ...(!events && { events: noEvents }),
        rootDir,
        hostname: name,
        machine: machine.report(boots),
        network: machine.network,
        settings: { nodeLabels: { ...labels }, registerWithTaints: [...(taints ?? [])], maxPods: machine.maxPods, ...tempo.node },
        ...(tempo.leaseDurationSeconds && { leaseDurationSeconds: tempo.leaseDurationSeconds }),
      }),
    };
    const agent = createNodeAgent(wrap(agentsOwn));
    current = { agent, life };
    await agent.start();
  };
  const end = async (): Promise<void> => {
    const { agent, life } = running();
    await agent.stop();
    life.kill();
  };
  /** A report that fails is made at its next time. */
  const reportSoon = ({ agent, life }: { agent: NodeAgent; life: Life }, ms: number) =>
    void life.clock.setTimeout(() => void agent.syncNodeStatus().catch(() => {}), ms);
  const isUp = () => current?.life.alive ?? false;
  const running = () => {
    if (current?.life.alive) return current;
    throw new NodeAgentError(testClusterErrorCodes.wrongNodeState, `the agent of node "${name}" does not run`);
  };
  const object = () => server.objects.get<Node>('nodes', name);

  return {
    name,
    runtime,
    get agent() {
      if (current) return current.agent;
      throw new NodeAgentError(testClusterErrorCodes.wrongNodeState, `node "${name}" was not started yet`);
    },
    get up() {
      return isUp();
    },
    object,
    condition: (type) => object()?.status?.conditions?.find((each) => each.type === type)?.status,
    pressure(more) {
      ownUsage(more, machine.capacity);
      usage = { ...usage, ...more };
      trace.note(name, `pressure ${JSON.stringify(usage)}`);
      memoryIsShort();
      if (current?.life.alive && tempo.pressureReportMs !== undefined) reportSoon(current, tempo.pressureReportMs);
    },
    crash(kind = 'agent') {
      trace.note(name, `crash ${kind}`);
      current?.life.kill();
      if (kind === 'agent' || machineDown) return;
      machineDown = true;
      runtime.reboot();
      runtime.crash();
    },
    async restart() {
      trace.note(name, isUp() ? 'restart' : 'start');
      if (isUp()) await end();
      if (machineDown) {
        machineDown = false;
        boots++;
        runtime.restart();
      }
      await begin();
    },
    async stop() {
      trace.note(name, 'stop');
      await end();
    },
    partition(kind = 'refused') {
      trace.note(name, `partition ${kind}`);
      link.cut(kind);
    },
    heal() {
      trace.note(name, 'heal');
      link.heal();
    },
    httpServer,
    get partitioned() {
      return link.partition !== undefined;
    },
  };
}
