import { invalidOption, type ResourceList, requirePositive, type Taint } from '@nodeagent/api';
import type { AgentOptions, NodeAgentOptions, NodeHost } from '@nodeagent/core';
import type { InProcessServer, Transport } from '@nodeagent/kube-client';
import type { Fault, MemoryRuntimeOptions } from '@nodeagent/memory-runtime';
import type { ApiFault, TestApiServerOptions } from '@nodeagent/test-api-server';
import type { VirtualClock } from '@nodeagent/testing';
import type { AgentPeriods } from './agent-periods.js';

/** The options that a simulated node passes to its agent. */
export type SimulatedAgentOptions = NodeAgentOptions & Pick<AgentOptions, 'cri'>;

/** A node of a test cluster. All fields have defaults. */
export interface TestNodeOptions {
  /** Default `node-1`, `node-2`, ... */
  name?: string;
  labels?: Readonly<Record<string, string>>;
  taints?: readonly Taint[];
  /** Capacity of the machine: `cpu`, `memory`, `ephemeral-storage`, `pods`. Default 4, 8Gi, 100Gi, 110. */
  capacity?: ResourceList;
  /** Whether its agents write events to the API server, about half of their writes when pods start. Default true. */
  events?: boolean;
  /** Options of its memory runtime. Default: those of `createMemoryRuntime`. */
  runtime?: Omit<MemoryRuntimeOptions, 'clock' | 'onCall' | 'seed'>;
  /**
   * Options of its agents, which override those of the cluster. Members of `host` replace those of an in-memory host. Device plugins also need
   * `parts: { devices: machineParts.devices }` of `@nodeagent/core/node`. Default: none.
   */
  agent?: Partial<Omit<NodeAgentOptions, 'nodeName' | 'clock' | 'cri' | 'cluster' | 'host'>> & { host?: Partial<NodeHost> };
  /** Creates the transport of one client of its agents to the server. Default: without a network. */
  transport?(server: InProcessServer): Transport;
  /** Wraps the ports of its agents, such as by a runtime that loses events. Default: unchanged. */
  wrap?(options: SimulatedAgentOptions): SimulatedAgentOptions;
}

/** Faults that are injected into a cluster once all its nodes are ready. */
export interface ClusterFaults {
  /** Faults of every node's runtime. */
  cri?: readonly Fault[];
  api?: readonly ApiFault[];
}

/** Options of `createTestCluster`. */
export interface TestClusterOptions {
  /** The number of nodes, or a list of their options. Default 1. */
  nodes?: number | readonly TestNodeOptions[];
  /** Defaults of all nodes. */
  node?: Omit<TestNodeOptions, 'name'>;
  /** Default: a new clock. Your own clock must wait for clients of the server that use HTTP: `settleIO`. */
  clock?: VirtualClock;
  /** Wall-clock time at the start, in milliseconds since 1970, of a clock that the cluster creates. Default 2026-01-01T00:00:00Z. */
  start?: number;
  /** The same seed gives the same run, byte for byte. Default 1. */
  seed?: number;
  /** Periods of the agents' periodic work. Default `kubelet`. */
  periods?: AgentPeriods;
  /** Default none. */
  faults?: ClusterFaults;
  /** Options of the API server. Default: a scheduler, and controllers of Deployments, ReplicaSets, DaemonSets and Jobs. */
  server?: Omit<TestApiServerOptions, 'clock' | 'random' | 'onRequest'>;
  /** Maximum number of lines in the trace. Default 10000; 0 for none. */
  traceLimit?: number;
}

/** The options of each node. Throws `InvalidOption`. */
export function nodeOptionsOf({
  nodes = 1,
  node = {},
  seed,
  traceLimit,
  periods,
}: TestClusterOptions): (TestNodeOptions & { name: string })[] {
  if (typeof nodes === 'number' && !(Number.isInteger(nodes) && nodes >= 0))
    throw invalidOption('nodes', 'an integer of at least 0', nodes);
  if (seed !== undefined && !Number.isInteger(seed)) throw invalidOption('seed', 'an integer', seed);
  if (periods !== undefined && !['kubelet', 'long'].includes(periods)) throw invalidOption('periods', '"kubelet" or "long"', periods);
  if (traceLimit !== 0) requirePositive('traceLimit', traceLimit, { integer: true });
  const each = typeof nodes === 'number' ? Array.from({ length: nodes }, (): TestNodeOptions => ({})) : nodes;
  const named = each.map((own, index) => ({ ...node, ...own, name: own.name ?? `node-${index + 1}` }));
  const names = new Set(named.map(({ name }) => name));
  if (names.size < named.length) throw invalidOption('nodes', 'nodes with unique names', named.map(({ name }) => name).join(', '));
  return named;
}
