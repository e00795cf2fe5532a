/** Memory of one type on a NUMA node, in bytes. The fields are those of the kubelet's state file. */
export interface MemoryTable {
  /** The memory of the node. */
  total: number;
  /** Reserved for the system: never assigned. */
  systemReserved: number;
  /** What containers can get: `total` without `systemReserved` and, for regular memory, without huge pages. */
  allocatable: number;
  /** Assigned to containers. */
  reserved: number;
  /** What is left of `allocatable`. */
  free: number;
}

/** The memory of one NUMA node. */
export interface NumaNodeMemory {
  /** Number of assignments that use the node, one for each type of memory of a container. */
  numberOfAssignments: number;
  /** By type: `memory`, or huge pages such as `hugepages-2Mi`. */
  memoryMap: Record<string, MemoryTable>;
  /** The group of nodes that containers on this node use together, ascending; the node alone if it is not in a group. */
  cells: number[];
}

/** The memory of a machine by NUMA node. */
export type MachineMemory = Record<number, NumaNodeMemory>;

/** Memory of one type that a container has. */
export interface MemoryBlock {
  /** The NUMA nodes, ascending. */
  numaAffinity: number[];
  type: string;
  /** In bytes. 0 for an init container whose memory later containers of the pod reuse. */
  size: number;
}

/** The blocks of containers by the pod's UID and the container's name. */
export type MemoryAssignments = Record<string, Record<string, MemoryBlock[]>>;

/** Memory of finished init containers that later containers of the pod reuse. */
export interface ReusableMemory {
  podUID: string;
  /** Bytes by NUMA nodes, in the notation `0-1`, and type. */
  byNodes: Record<string, Record<string, number>>;
}

/** The state of the static policy. Plain JSON; functions return a changed copy. */
export interface MemoryState {
  machineState: MachineMemory;
  entries: MemoryAssignments;
  /** Only the pod whose containers were allocated last has reusable memory. Not in the state file. */
  reusable?: ReusableMemory;
}

/** The blocks of a container; undefined if it has none. */
export function blocksOf({ entries }: Pick<MemoryState, 'entries'>, podUID: string, containerName: string): MemoryBlock[] | undefined {
  return entries[podUID]?.[containerName];
}
