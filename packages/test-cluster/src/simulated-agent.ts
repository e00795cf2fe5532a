import type { Random } from '@nodeagent/api';
import { type AgentNode, type ClusterOptions, type JoinClusterOptions, joinCluster, type NodeHost } from '@nodeagent/core';
import { createKubeClient, type KubeClient } from '@nodeagent/kube-client';
import type { MemoryRuntime } from '@nodeagent/memory-runtime';
import { seededRandom } from '@nodeagent/testing';
import type { PeriodSettings } from './agent-periods.js';
import type { AgentProcess } from './agent-process.js';
import type { SimulatedMachine } from './machine.js';
import { agentNetwork } from './network/agent-network.js';
import type { NodeLink } from './node-link.js';
import type { SimulatedAgentOptions, TestNodeOptions } from './options.js';
import { simulatedClaims } from './simulated-claims.js';
import type { createSimulatedStats } from './simulated-stats.js';

/** What consecutive agents of a node run on. */
export interface AgentBed {
  options: TestNodeOptions & { name: string; random: Random; periodSettings: PeriodSettings };
  machine: SimulatedMachine;
  runtime: MemoryRuntime;
  stats: ReturnType<typeof createSimulatedStats>;
  link: NodeLink;
  host: NodeHost;
  /** Receives the function by which the machine reports that its memory is short. */
  setMemoryReport(report: () => void): void;
}

/** The options of an agent that starts after this number of boots of the machine. */
export async function simulatedAgentOptions(bed: AgentBed, agentProcess: AgentProcess, boots: number): Promise<SimulatedAgentOptions> {
  const { machine, runtime, stats, host, setMemoryReport } = bed;
  const { name, random, periodSettings, agent } = bed.options;
  return {
    sources: [],
    rootDir: '/var/lib/nodeagent',
    random: seededRandom(random() * 2 ** 32),
    eviction: {
      settings: periodSettings.eviction,
      memoryEvents: {
        watch: (onEvent, signal) => setMemoryReport(() => void (signal.aborted || !agentProcess.isAlive || onEvent())),
      },
    },
    hostIps: [machine.address],
    ...agent,
    settings: { resolvConf: '', ...periodSettings.settings, ...agent?.settings },
    parts: { stats: () => stats, dynamicResources: simulatedClaims, ...agent?.parts },
    host: { ...agentNetwork({ runtime, address: machine.address }), ...host },
    nodeName: name,
    clock: agentProcess.clock,
    cri: { runtime: agentProcess.bind(runtime.runtime), image: agentProcess.bind(runtime.image) },
    cluster: await joinedCluster(bed, agentProcess, boots),
  };
}

/** Without events the agent has no recorder that counts, combines and throttles them. */
async function joinedCluster(bed: AgentBed, agentProcess: AgentProcess, boots: number): Promise<ClusterOptions> {
  const joined = await joinCluster(clusterOptions(bed, agentProcess, boots));
  if (bed.options.events ?? true) return joined;
  const { createRecorder: _events, ...withoutEvents } = joined;
  return withoutEvents;
}

function clusterOptions({ options, machine, link }: AgentBed, agentProcess: AgentProcess, boots: number): JoinClusterOptions {
  const { name, random, periodSettings, labels, taints, agent } = options;
  const client = (qps: number): KubeClient =>
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
  return {
    client: client(50),
    heartbeats: client(0),
    hostname: name,
    architecture: 'amd64',
    machine: machine.report(boots),
    network: machine.network,
    settings: {
      nodeLabels: { ...labels },
      registerWithTaints: [...(taints ?? [])],
      maxPods: machine.maxPods,
      ...reservations(agent?.node),
      ...periodSettings.node,
    },
    ...(periodSettings.leaseDurationSeconds && { leaseDurationSeconds: periodSettings.leaseDurationSeconds }),
  };
}

/** The reservations of an agent, which its Node's allocatable resources exclude too. */
const reservations = ({ systemReserved, kubeReserved }: AgentNode = {}) => ({
  ...(systemReserved && { systemReserved }),
  ...(kubeReserved && { kubeReserved }),
});
