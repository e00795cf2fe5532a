import type { CpuInfo, MachineTopology, NumaNodeInfo } from '@nodeagent/api';
import { CpuSet } from '@nodeagent/api/helpers';

/** A cache of a core: `cpuN/cache/indexN` of /sys. */
export interface CacheFacts {
  level: number;
  /** Unique among the caches of its level. Absent with a kernel that reports none. */
  id?: number;
  /** The CPUs that share the cache. */
  cpus: CpuSet;
}

/** One online CPU, as the kernel describes it. */
export interface CpuFacts {
  cpu: number;
  /** The CPUs of its core, itself included. */
  coreCpus: CpuSet;
  /** Number of the socket (physical package). */
  socket: number;
  /** Caches of its core. Those of the core's smallest CPU are used. */
  caches: readonly CacheFacts[];
}

/** One NUMA node, as the kernel describes it. */
export interface NodeFacts extends NumaNodeInfo {
  cpus: CpuSet;
}

/** The topology of a machine from its online CPUs and its NUMA nodes, of which there is at least one. A pure function. */
export function buildMachineTopology(cpus: readonly CpuFacts[], nodes: readonly NodeFacts[]): MachineTopology {
  const online = CpuSet.of(cpus.map(({ cpu }) => cpu));
  const factsOf = new Map(cpus.map((facts) => [facts.cpu, facts]));
  const infoOf = ({ cpu, coreCpus, socket }: CpuFacts): CpuInfo => {
    const core = coreCpus.list().find((each) => online.has(each)) ?? cpu;
    const node = nodes.find((each) => each.cpus.has(cpu)) ?? nodes[0];
    const nodeCpus = node?.cpus.intersection(online) ?? online;
    const caches = factsOf.get(core)?.caches ?? [];
    return { cpu, core, socket, numaNode: node?.id ?? 0, uncoreCache: uncoreCacheOf(caches, nodeCpus.size) ?? socket };
  };
  return {
    cpus: cpus.map(infoOf).sort((a, b) => a.cpu - b.cpu),
    numaNodes: nodes.map(({ cpus: _, ...node }) => node).sort((a, b) => a.id - b.id),
  };
}

/**
 * The id of the first cache above level 2 that not exactly the CPUs of one NUMA node share: the kubelet counts such a cache as the node's, not
 * as an uncore cache.
 */
function uncoreCacheOf(caches: readonly CacheFacts[], nodeSize: number): number | undefined {
  const cache = caches.find(({ level, cpus }) => level > 2 && cpus.size !== nodeSize);
  return cache && (cache.id ?? cache.cpus.list()[0]);
}
