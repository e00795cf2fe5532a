import type { CheckpointFile, Logger, MachineTopology, Metrics, Pod, ResourceList } from '@nodeagent/api';
import type { MemoryReservation } from './reserved-memory.js';

/** `memoryManagerPolicy` of KubeletConfiguration. */
export type MemoryManagerPolicy = 'None' | 'Static';

/** Options of `createMemoryManager`. Policy and reserved memory have the names and values of KubeletConfiguration. */
export interface MemoryManagerOptions {
  /** Default `None`: no memory is assigned, and there are no hints. */
  policy?: MemoryManagerPolicy;
  /** The NUMA nodes of the machine. */
  topology: Pick<MachineTopology, 'numaNodes'>;
  /** What the system keeps on each NUMA node. The policy `Static` requires it. Default: none. */
  reservedMemory?: readonly MemoryReservation[];
  /** What Node Allocatable reserves: system reserved, kube reserved and the hard eviction threshold. `Static` requires it. Default: none. */
  nodeAllocatableReservation?: ResourceList;
  /** Path of the state file, for errors; the kubelet's is `/var/lib/kubelet/memory_manager_state`. */
  stateFile: string;
  /** Keeps the content of the state file: `createTextFile(stateFile)` of `@nodeagent/api/files`. */
  store: Pick<CheckpointFile<string>, 'load' | 'save'>;
  /** The active pods of the node: memory of other pods is released. */
  activePods(): readonly Pod[];
  /** Whether containers of a pod that is not active may still run: it keeps its memory. Default: never. */
  couldHaveRunningContainers?(podUID: string): boolean;
  /** Whether all pod sources have reported their pods; until then no memory is released. Default: always. */
  sourcesReady?(): boolean;
  logger?: Logger;
  metrics?: Metrics;
}
