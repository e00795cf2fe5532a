import { type Node, NodeAgentError, type Random } from '@nodeagent/api';
import { createNodeAgent, type NodeAgent } from '@nodeagent/core';
import { createMemoryRuntime, type MemoryRuntime } from '@nodeagent/memory-runtime';
import type { InProcessNodeServer, TestApiServer } from '@nodeagent/test-api-server';
import type { VirtualClock } from '@nodeagent/testing';
import type { PeriodSettings } from './agent-periods.js';
import { type AgentProcess, createAgentProcess } from './agent-process.js';
import { testClusterErrorCodes } from './errors.js';
import { podAddresses, simulatedMachine } from './machine.js';
import type { ClusterNetwork } from './network/cluster-network.js';
import { createNodeLink, type PartitionKind } from './node-link.js';
import type { TestNodeOptions } from './options.js';
import { type MachineUsage, ownUsage } from './own-usage.js';
import { type AgentBed, simulatedAgentOptions } from './simulated-agent.js';
import { createSimulatedHost } from './simulated-host.js';
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
  network: ClusterNetwork;
}

/** Creates a stopped node; `restart` starts it. */
export function createSimulatedNode(options: SimulatedNodeOptions): TestNode {
  return new SimulatedNode(options);
}

interface RunningAgent {
  agent: NodeAgent;
  agentProcess: AgentProcess;
}

class SimulatedNode implements TestNode {
  readonly name: string;
  readonly runtime: MemoryRuntime;
  readonly httpServer: InProcessNodeServer;
  readonly #options: SimulatedNodeOptions;
  readonly #bed: AgentBed;
  #usage: MachineUsage = {};
  #current: RunningAgent | undefined;
  #machineDown = false;
  #reportMemory = () => {};
  #boots = 1;

  constructor(options: SimulatedNodeOptions) {
    const { name, index, clock, server, trace } = options;
    const machine = simulatedMachine(name, index, options.capacity);
    const user = { username: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
    const link = createNodeLink({ handle: (request) => server.handle({ ...request, user }) }, options.transport);
    const { fileSystem, host } = createSimulatedHost(machine.facts, options.agent?.host);
    const runtime = createMemoryRuntime({
      podIPs: podAddresses(index),
      hostIPs: [machine.address],
      recordCalls: 0,
      files: fileSystem,
      fileSystem,
      network: options.network.of(name, link),
      ...options.runtime,
      clock,
      seed: name,
      onCall: trace.calls(name),
    });
    const { capacity } = machine;
    const stats = createSimulatedStats({ nodeName: name, clock, runtime, capacity, own: () => ownUsage(this.#usage, capacity) });
    this.name = name;
    this.runtime = runtime;
    this.httpServer = createSimulatedServer({ clock, runtime, stats, reachable: () => this.isUp && !this.isPartitioned });
    this.#options = options;
    this.#bed = {
      options,
      machine,
      runtime,
      stats,
      link,
      host,
      setMemoryReport: (report) => {
        this.#reportMemory = report;
      },
    };
  }

  get agent(): NodeAgent {
    if (this.#current) return this.#current.agent;
    throw new NodeAgentError(testClusterErrorCodes.wrongNodeState, `node "${this.name}" was not started yet`);
  }

  get isUp(): boolean {
    return this.#current?.agentProcess.isAlive ?? false;
  }

  get isPartitioned(): boolean {
    return this.#bed.link.partition !== undefined;
  }

  object(): Node | undefined {
    return this.#options.server.objects.get<Node>('nodes', this.name);
  }

  condition(type: string): string | undefined {
    return this.object()?.status?.conditions?.find((each) => each.type === type)?.status;
  }

  pressure(more: MachineUsage): void {
    const { pressureReportMs } = this.#options.periodSettings;
    ownUsage(more, this.#bed.machine.capacity);
    this.#usage = { ...this.#usage, ...more };
    this.#note(`pressure ${JSON.stringify(this.#usage)}`);
    this.#reportMemory();
    if (this.#current?.agentProcess.isAlive && pressureReportMs !== undefined) reportAfter(this.#current, pressureReportMs);
  }

  crash(kind: CrashKind = 'agent'): void {
    this.#note(`crash ${kind}`);
    this.#current?.agentProcess.kill();
    if (kind === 'agent' || this.#machineDown) return;
    this.#machineDown = true;
    this.runtime.reboot();
    this.runtime.crash();
  }

  async restart(): Promise<void> {
    this.#note(this.isUp ? 'restart' : 'start');
    if (this.isUp) await this.#end();
    if (this.#machineDown) {
      this.#machineDown = false;
      this.#boots++;
      this.runtime.restart();
    }
    await this.#begin();
  }

  async stop(): Promise<void> {
    this.#note('stop');
    await this.#end();
  }

  partition(kind: PartitionKind = 'refused'): void {
    this.#note(`partition ${kind}`);
    this.#bed.link.cut(kind);
  }

  heal(): void {
    this.#note('heal');
    this.#bed.link.heal();
  }

  async #begin(): Promise<void> {
    const { clock, wrap = (same) => same } = this.#options;
    const agentProcess = createAgentProcess(clock);
    const agent = createNodeAgent(wrap(await simulatedAgentOptions(this.#bed, agentProcess, this.#boots)));
    this.#current = { agent, agentProcess };
    await agent.start();
  }

  async #end(): Promise<void> {
    const { agent, agentProcess } = this.#running();
    await agent.stop();
    agentProcess.kill();
  }

  #running(): RunningAgent {
    if (this.#current?.agentProcess.isAlive) return this.#current;
    throw new NodeAgentError(testClusterErrorCodes.wrongNodeState, `the agent of node "${this.name}" is not running`);
  }

  #note(text: string): void {
    this.#options.trace.note(this.name, text);
  }
}

/** A failed report is repeated at the next periodic one. */
function reportAfter({ agent, agentProcess }: RunningAgent, ms: number): void {
  agentProcess.clock.setTimeout(() => void agent.syncNodeStatus().catch(() => {}), ms);
}
