import type { MachineTopology } from '@nodeagent/api';
import type { MachineFacts } from './machine-facts.js';
import type { MachineResources } from './node-host.js';

/** The topology that the facts contain; by default each CPU is a core of one socket, and all memory one NUMA node. */
export function knownTopology({ topology, cpus, memoryBytes }: MachineFacts): MachineTopology {
  return (
    topology ?? {
      cpus: Array.from({ length: cpus }, (_, cpu) => ({ cpu, core: cpu, socket: 0, numaNode: 0, uncoreCache: 0 })),
      numaNodes: [{ id: 0, memoryBytes: Number(memoryBytes), hugePages: [], distances: [10] }],
    }
  );
}

/** The resources that the facts contain: no ephemeral storage and no huge pages. */
export function knownResources({ cpus, memoryBytes }: MachineFacts): MachineResources {
  return { cpus, memoryBytes, hugePages: [] };
}
