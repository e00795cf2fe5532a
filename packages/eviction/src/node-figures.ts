import type { FsStats, MemoryStats, NodeStats, Time } from '@nodeagent/api';

/** How much of a resource is left and how much the node has in all, with the time of the measurement. */
export interface NodeFigures {
  available: bigint;
  capacity: bigint;
  time: Time;
}

/** Memory that is left, of that and the working set. */
export function memoryFigures(memory: MemoryStats | undefined): NodeFigures | undefined {
  if (memory?.availableBytes === undefined || memory.workingSetBytes === undefined) return undefined;
  return figures(memory.availableBytes, memory.availableBytes + memory.workingSetBytes, memory.time);
}

/** The memory of the cgroup of all pods. */
export function podsMemory({ systemContainers }: NodeStats): MemoryStats | undefined {
  return systemContainers?.find(({ name }) => name === 'pods')?.memory;
}

/** Bytes of a file system. */
export function bytesFigures(fs: FsStats | undefined): NodeFigures | undefined {
  return fs && figures(fs.availableBytes, fs.capacityBytes, fs.time);
}

/** Inodes of a file system. */
export function inodesFigures(fs: FsStats | undefined): NodeFigures | undefined {
  return fs && figures(fs.inodesFree, fs.inodes, fs.time);
}

/** Processes that may still be started. */
export function processFigures({ rlimit }: NodeStats): NodeFigures | undefined {
  const { maxpid, curproc, time = '' } = rlimit ?? {};
  return maxpid === undefined || curproc === undefined ? undefined : figures(maxpid - curproc, maxpid, time);
}

function figures(available: bigint | undefined, capacity: bigint | undefined, time: Time): NodeFigures | undefined {
  return available === undefined || capacity === undefined ? undefined : { available, capacity, time };
}
