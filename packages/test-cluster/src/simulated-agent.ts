import type { Random } from '@nodeagent/api';
import {
  type AgentNode,
  createMemoryCheckpoints,
  createMemoryPodDirs,
  type JoinClusterOptions,
  joinCluster,
  memoryHost,
  type NodeHost,
} from '@nodeagent/core';
import { createKubeClient, type KubeClient } from '@nodeagent/kube-client';
import { createMemoryFileSystem, type MemoryFileSystem, type MemoryRuntime } from '@nodeagent/memory-runtime';
import { seededRandom } from '@nodeagent/testing';
import { agentFiles } from './agent-files.js';
import type { PeriodSettings } from './agent-periods.js';
import type { AgentProcess } from './agent-process.js';
import type { SimulatedMachine } from './machine.js';
import type { NodeLink } from './node-link.js';
import type { SimulatedAgentOptions, TestNodeOptions } from './options.js';
import { simulatedProbes } from './simulated-probes.js';
import type { createSimulatedStats } from './simulated-stats.js';

/** What consecutive agents of a node run on. */
export interface AgentBed {
  options: TestNodeOptions & { name: string; random: Random; periodSettings: PeriodSettings };
  machine: SimulatedMachine;
  runtime: MemoryRuntime;
  stats: ReturnType<typeof createSimulatedStats>;
  link: NodeLink;
  disk: MemoryDisk;
  /** Receives the function by which the machine reports that its memory is short. */
  setMemoryReport(report: () => void): void;
}

/** The disk of a node in memory: what its agents keep on it, and the files that its programs see. */
export interface MemoryDisk {
  fileSystem: MemoryFileSystem;
  host: Pick<NodeHost, 'files' | 'podDirs' | 'createVolumes' | 'checkpoints'>;
}

export function createMemoryDisk(): MemoryDisk {
  const fileSystem = createMemoryFileSystem();
  const files = agentFiles(fileSystem);
  const podDirs = createMemoryPodDirs(files);
  const { createVolumes } = memoryHost({ files, podDirs, volumeFiles: fileSystem });
  return { fileSystem, host: { files, podDirs, createVolumes, checkpoints: createMemoryCheckpoints() } };
}

const rootDir = '/var/lib/nodeagent';

/** The options of an agent that starts after this number of boots of the machine. */
export async function simulatedAgentOptions(bed: AgentBed, agentProcess: AgentProcess, boots: number): Promise<SimulatedAgentOptions> {
  const { machine, runtime, stats, disk, setMemoryReport } = bed;
  const { name, random, periodSettings, agent } = bed.options;
  return {
    sources: [],
    rootDir,
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
    parts: { stats: () => stats, ...agent?.parts },
    host: { ...disk.host, machine: machine.facts, runProbe: simulatedProbes(runtime), ...agent?.host },
    nodeName: name,
    clock: agentProcess.clock,
    cri: { runtime: agentProcess.bind(runtime.runtime), image: agentProcess.bind(runtime.image) },
    cluster: await joinWithoutClaims(clusterOptions(bed, agentProcess, boots)),
  };
}

function clusterOptions({ options, machine, link }: AgentBed, agentProcess: AgentProcess, boots: number): JoinClusterOptions {
  const { name, random, periodSettings, labels, taints, events = true, agent } = options;
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
    ...(!events && { events: noEvents }),
    rootDir,
    hostname: name,
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

/** Discards events. */
const noEvents: NonNullable<JoinClusterOptions['events']> = {
  create: async (event) => event,
  patch: async () => ({ metadata: {}, involvedObject: {} }),
};
