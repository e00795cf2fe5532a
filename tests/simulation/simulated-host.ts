import type { MachineTopology } from '@nodeagent/api';
import { type MachineFacts, memoryHost, type NodeHost, type PodDirs } from '@nodeagent/core/node';

/** Options of nodes whose Guaranteed pods get exclusive CPUs, and memory of chosen NUMA nodes. */
export const exclusiveResources = {
  node: { systemReserved: { cpu: '1', memory: '100Mi' } },
  resourceManagers: {
    cpuManagerPolicy: 'static',
    memoryManagerPolicy: 'Static',
    // The hard eviction threshold, 100Mi, is reserved too.
    reservedMemory: [{ numaNode: 0, limits: { memory: '200Mi' } }],
    topologyManagerPolicy: 'best-effort',
  },
} as const;

/** What pods can request of 4 CPUs and 8Gi: all but the hard eviction threshold and the reserve of {@link exclusiveResources}. In thousandths. */
export const allocatable = {
  shared: { cpu: 4_000, memory: (8 * 1024 - 100) * 2 ** 20 * 1_000 },
  exclusive: { cpu: 3_000, memory: (8 * 1024 - 200) * 2 ** 20 * 1_000 },
};

/** The host of an agent, with the files, folders and cgroups of its parts, and two NUMA nodes. */
export function simulatedHost(
  { machine, files, cgroups }: Pick<Partial<NodeHost>, 'machine' | 'files' | 'cgroups'>,
  podDirs: PodDirs,
  checkpoints: Pick<NodeHost, 'stateFile' | 'checkpoints'>,
): NodeHost {
  const facts = machine && { ...machine, topology: twoNumaNodes(machine) };
  return {
    ...memoryHost({ podDirs, ...(files && { files }), ...(cgroups && { cgroups }), ...(facts && { machine: facts }) }),
    ...checkpoints,
  };
}

/** Two NUMA nodes with half of the CPUs and of the memory each. */
function twoNumaNodes({ cpus, memoryBytes }: MachineFacts): MachineTopology {
  const nodeOf = (cpu: number) => (cpu < cpus / 2 ? 0 : 1);
  return {
    cpus: Array.from({ length: cpus }, (_, cpu) => ({
      cpu,
      core: cpu,
      socket: nodeOf(cpu),
      numaNode: nodeOf(cpu),
      uncoreCache: nodeOf(cpu),
    })),
    numaNodes: [0, 1].map((id) => ({
      id,
      memoryBytes: Number(memoryBytes) / 2,
      hugePages: [],
      distances: id === 0 ? [10, 20] : [20, 10],
    })),
  };
}
