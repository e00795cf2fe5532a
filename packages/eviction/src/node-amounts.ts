import type { FsStats, MemoryStats, NodeStats, Time } from '@nodeagent/api';

/** The available amount and the capacity of a resource, with the time of the measurement. */
export interface NodeAmounts {
  available: bigint;
  capacity: bigint;
  time: Time;
}

/** Available memory; the capacity is the sum of it and the working set. */
export function memoryAmounts(memory: MemoryStats | undefined): NodeAmounts | undefined {
  if (memory?.availableBytes === undefined || memory.workingSetBytes === undefined) return undefined;
  return nodeAmounts(memory.availableBytes, memory.availableBytes + memory.workingSetBytes, memory.time);
}

/** Memory stats of the cgroup of all pods. */
export function podsMemory({ systemContainers }: NodeStats): MemoryStats | undefined {
  return systemContainers?.find(({ name }) => name === 'pods')?.memory;
}

/** Available bytes and capacity of a file system. */
export function bytesAmounts(fs: FsStats | undefined): NodeAmounts | undefined {
  return fs && nodeAmounts(fs.availableBytes, fs.capacityBytes, fs.time);
}

/** Free inodes and capacity of a file system. */
export function inodesAmounts(fs: FsStats | undefined): NodeAmounts | undefined {
  return fs && nodeAmounts(fs.inodesFree, fs.inodes, fs.time);
}

/** Available process IDs and their maximum. */
export function processAmounts({ rlimit }: NodeStats): NodeAmounts | undefined {
  const { maxpid, curproc, time = '' } = rlimit ?? {};
  return maxpid === undefined || curproc === undefined ? undefined : nodeAmounts(maxpid - curproc, maxpid, time);
}

function nodeAmounts(available: bigint | undefined, capacity: bigint | undefined, time: Time): NodeAmounts | undefined {
  return available === undefined || capacity === undefined ? undefined : { available, capacity, time };
}
