import { type Node, NodeAgentError, type Random } from '@nodeagent/api';
import {
  type AgentNode,
  createMemoryCheckpoints,
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
import type { PeriodSettings } from './agent-periods.js';
import { type AgentProcess, createAgentProcess } from './agent-process.js';
import { testClusterErrorCodes } from './errors.js';
import { podAddresses, simulatedMachine } from './machine.js';
import { createNodeLink, type PartitionKind } from './node-link.js';
import type { SimulatedAgentOptions, TestNodeOptions } from './options.js';
import { type MachineUsage, ownUsage } from './own-usage.js';
import { simulatedProbes } from './simulated-probes.js';
import { createSimulatedServer } from './simulated-server.js';
import { createSimulatedStats } from './simulated-stats.js';
import type { TraceWriter } from './trace.js';

/** The part of a node that crashes. */
export type CrashKind = 'agent' | 'machine';

/** A node of a test cluster: a simulated machine, a memory runtime with simulated containers, and a real agent. */
export interface TestNode {
  readonly name: string;
  /** The node's container runtime: scripts, faults, crashes and containers. It outlives agents. */
  readonly runtime: MemoryRuntime;
  /** The running agent, or the last one. */
  readonly agent: NodeAgent;
  /** Whether the agent runs. */
  readonly isUp: boolean;
  /** The Node object in the API server. */
  object(): Node | undefined;
  /** Status of the Node's condition of this type, such as `Ready`. */
  condition(type: string): string | undefined;
  /** Sets the usage of the machine beside its pods; absent fields stay unchanged. The agent evicts pods if an eviction threshold is met. */
  pressure(usage: MachineUsage): void;
  /**
   * Crashes at once. `agent`, as `kill -9`: containers keep running. `machine`, as a power failure: containers have exited, and the
   * runtime is down too. Default `agent`.
   */
  crash(kind?: CrashKind): void;
  /** Starts what has crashed; stops a running agent first, as an upgrade does. Resolves when the new agent has started. */
  restart(): Promise<void>;
  /** Stops the agent and leaves its containers running. */
  stop(): Promise<void>;
  /** Partitions the node from the API server. Default `refused`. */
  partition(kind?: PartitionKind): void;
  /** Ends the partition. */
  heal(): void;
  readonly isPartitioned: boolean;
  /** The node's HTTP server, which the API server calls. */
  readonly httpServer: InProcessNodeServer;
}

export interface SimulatedNodeOptions extends TestNodeOptions {
  name: string;
  /** Index of the node in the cluster, from 0. */
  index: number;
  clock: VirtualClock;
  server: TestApiServer;
  random: Random;
  trace: TraceWriter;
  periodSettings: PeriodSettings;
}

/** Discards events. */
const noEvents: NonNullable<JoinClusterOptions['events']> = {
  create: async (event) => event,
  patch: async () => ({ metadata: {}, involvedObject: {} }),
};

const rootDir = '/var/lib/nodeagent';

/** Nodes have no drivers of dynamic resources, and the manager of claims keeps its checkpoint in a real file. */
async function joinWithoutClaims(options: JoinClusterOptions) {
  const { dynamicResources: _, ...cluster } = await joinCluster(options);
  return cluster;
}

/** The reservations of an agent, which its Node's allocatable resources exclude too. */
const reservations = ({ systemReserved, kubeReserved }: AgentNode = {}) => ({
  ...(systemReserved && { systemReserved }),
  ...(kubeReserved && { kubeReserved }),
});

/** Creates a stopped node; `restart` starts it. */
export function createSimulatedNode(options: SimulatedNodeOptions): TestNode {
  const {
    name,
    index,
    clock,
    server,
    random,
    trace,
    periodSettings,
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
  const checkpoints = createMemoryCheckpoints();
  const user = { username: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
  const link = createNodeLink({ handle: (request) => server.handle({ ...request, user }) }, options.transport);
  let usage: MachineUsage = {};
  const stats = createSimulatedStats({
    nodeName: name,
    clock,
    runtime,
    capacity: machine.capacity,
    own: () => ownUsage(usage, machine.capacity),
  });
  const httpServer = createSimulatedServer({ clock, runtime, stats, reachable: () => isRunning() && link.partition === undefined });
  let current: { agent: NodeAgent; agentProcess: AgentProcess } | undefined;
  let machineDown = false;
  let memoryIsShort = () => {};
  let boots = 1;

  const begin = async (): Promise<void> => {
    const agentProcess = createAgentProcess(clock);
    const client = (qps: number) =>
      createKubeClient({
        cluster: { server: 'https://simulated:6443' },
        transport: link.transport(agentProcess),
        clock: agentProcess.clock,
        random: seededRandom(random() * 2 ** 32),
        qps,
        timeouts: periodSettings.watches,
        // With thousands of pods, every node would cache objects that it never reads.
        keepManagedFields: false,
      });
    const agentsOwn: SimulatedAgentOptions = {
      sources: [],
      rootDir,
      random: seededRandom(random() * 2 ** 32),
      eviction: {
        settings: periodSettings.eviction,
        memoryEvents: {
          watch(onEvent, signal) {
            memoryIsShort = () => void (signal.aborted || !agentProcess.isAlive || onEvent());
          },
        },
      },
      hostIps: [machine.address],
      ...agentOptions,
      settings: { resolvConf: '', ...periodSettings.settings, ...agentOptions?.settings },
      parts: { stats: () => stats, ...agentOptions?.parts },
      host: { files, podDirs, checkpoints, machine: machine.facts, runProbe: simulatedProbes(runtime), ...agentOptions?.host },
      nodeName: name,
      clock: agentProcess.clock,
      cri: { runtime: agentProcess.bind(runtime.runtime), image: agentProcess.bind(runtime.image) },
      cluster: await joinWithoutClaims({
        client: client(50),
        heartbeats: client(0),
        ...(!events && { events: noEvents }),
        rootDir,
        hostname: name,
        machine: machine.report(boots),
        network: machine.network,
        settings: {
          nodeLabels: { ...labels },
          registerWithTaints: [...(taints ?? [])],
          maxPods: machine.maxPods,
          ...reservations(agentOptions?.node),
          ...periodSettings.node,
        },
        ...(periodSettings.leaseDurationSeconds && { leaseDurationSeconds: periodSettings.leaseDurationSeconds }),
      }),
    };
    const agent = createNodeAgent(wrap(agentsOwn));
    current = { agent, agentProcess };
    await agent.start();
  };
  const end = async (): Promise<void> => {
    const { agent, agentProcess } = running();
    await agent.stop();
    agentProcess.kill();
  };
  /** A failed report is repeated at the next periodic one. */
  const reportAfter = ({ agent, agentProcess }: { agent: NodeAgent; agentProcess: AgentProcess }, ms: number) =>
    void agentProcess.clock.setTimeout(() => void agent.syncNodeStatus().catch(() => {}), ms);
  const isRunning = () => current?.agentProcess.isAlive ?? false;
  const running = () => {
    if (current?.agentProcess.isAlive) return current;
    throw new NodeAgentError(testClusterErrorCodes.wrongNodeState, `the agent of node "${name}" is not running`);
  };
  const object = () => server.objects.get<Node>('nodes', name);

  return {
    name,
    runtime,
    get agent() {
      if (current) return current.agent;
      throw new NodeAgentError(testClusterErrorCodes.wrongNodeState, `node "${name}" was not started yet`);
    },
    get isUp() {
      return isRunning();
    },
    object,
    condition: (type) => object()?.status?.conditions?.find((each) => each.type === type)?.status,
    pressure(more) {
      ownUsage(more, machine.capacity);
      usage = { ...usage, ...more };
      trace.note(name, `pressure ${JSON.stringify(usage)}`);
      memoryIsShort();
      if (current?.agentProcess.isAlive && periodSettings.pressureReportMs !== undefined)
        reportAfter(current, periodSettings.pressureReportMs);
    },
    crash(kind = 'agent') {
      trace.note(name, `crash ${kind}`);
      current?.agentProcess.kill();
      if (kind === 'agent' || machineDown) return;
      machineDown = true;
      runtime.reboot();
      runtime.crash();
    },
    async restart() {
      trace.note(name, isRunning() ? 'restart' : 'start');
      if (isRunning()) await end();
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
    get isPartitioned() {
      return link.partition !== undefined;
    },
  };
}
