import { invalidOption, type ResourceList, requirePositive, type Taint } from '@nodeagent/api';
import type { AgentOptions, NodeAgentOptions } from '@nodeagent/core';
import type { Fault, MemoryRuntimeOptions } from '@nodeagent/memory-runtime';
import type { ApiFault, TestApiServerOptions } from '@nodeagent/test-api-server';
import type { VirtualClock } from '@nodeagent/testing';
import type { Rhythm } from './rhythm.js';

/** What a simulated node gives its agent. */
export type SimulatedAgentOptions = NodeAgentOptions & Pick<AgentOptions, 'cri'>;

/** A node of a test cluster. Everything has a default. */
export interface TestNodeOptions {
  /** Default `node-1`, `node-2`, ... */
  name?: string;
  labels?: Readonly<Record<string, string>>;
  taints?: readonly Taint[];
  /** What the machine has: `cpu`, `memory`, `ephemeral-storage`, `pods`. Default 4, 8Gi, 100Gi, 110. */
  capacity?: ResourceList;
  /** Whether its agents write events to the API server, which is about half of what they write when pods start. Default true. */
  events?: boolean;
  /** Of its runtime. */
  runtime?: Omit<MemoryRuntimeOptions, 'clock' | 'onCall' | 'seed'>;
  /** Of its agents, in place of what the cluster gives them. */
  agent?: Partial<Omit<NodeAgentOptions, 'nodeName' | 'clock' | 'cri' | 'cluster'>>;
  /** Puts something between each of its agents and the agent's ports, such as a runtime that loses events. Default: nothing. */
  wrap?(options: SimulatedAgentOptions): SimulatedAgentOptions;
}

/** What goes wrong in a cluster from the moment when all its nodes are ready. */
export interface ClusterFaults {
  /** Of every node's runtime. */
  cri?: readonly Fault[];
  api?: readonly ApiFault[];
}

/** Options of `createTestCluster`. */
export interface TestClusterOptions {
  /** How many, or what they are like one by one. Default 1. */
  nodes?: number | readonly TestNodeOptions[];
  /** What all nodes have in common unless they say otherwise. */
  node?: Omit<TestNodeOptions, 'name'>;
  /** Default a new one. One of your own must wait for the server's clients itself, if those use HTTP: `settleIO`. */
  clock?: VirtualClock;
  /** Wall-clock time at the start, in milliseconds since 1970, of a clock that the cluster makes. Default 2026-01-01T00:00:00Z. */
  start?: number;
  /** The same seed gives the same run, byte for byte. Default 1. */
  seed?: number;
  /** How often agents do what they do without cause. Default `kubelet`. */
  rhythm?: Rhythm;
  /** Default none. */
  faults?: ClusterFaults;
  /** Of the API server. Default: a scheduler, and controllers of Deployments, ReplicaSets, DaemonSets and Jobs. */
  server?: Omit<TestApiServerOptions, 'clock' | 'random' | 'onRequest'>;
  /** How many lines the trace keeps. Default 10000; 0 none. */
  traceLimit?: number;
}

/** The nodes that the options name. Throws `InvalidOption`. */
export function nodeOptionsOf({
  nodes = 1,
  node = {},
  seed,
  traceLimit,
  rhythm,
}: TestClusterOptions): (TestNodeOptions & { name: string })[] {
  if (typeof nodes === 'number' && !(Number.isInteger(nodes) && nodes >= 0))
    throw invalidOption('nodes', 'a whole number from 0 on', nodes);
  if (seed !== undefined && !Number.isInteger(seed)) throw invalidOption('seed', 'a whole number', seed);
  if (rhythm !== undefined && !['kubelet', 'calm'].includes(rhythm)) throw invalidOption('rhythm', '"kubelet" or "calm"', rhythm);
  if (traceLimit !== 0) requirePositive('traceLimit', traceLimit, { integer: true });
  const each = typeof nodes === 'number' ? Array.from({ length: nodes }, (): TestNodeOptions => ({})) : nodes;
  const named = each.map((own, index) => ({ ...node, ...own, name: own.name ?? `node-${index + 1}` }));
  const names = new Set(named.map(({ name }) => name));
  if (names.size < named.length) throw invalidOption('nodes', 'nodes of different names', named.map(({ name }) => name).join(', '));
  return named;
}
