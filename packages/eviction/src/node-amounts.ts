import type { Time } from '@nodeagent/api';
import { type FsStatsInput, type MemoryStatsInput, type NodeStatsInput, read } from './stats-input.js';

/** The available amount and the capacity of a resource, with the time of the measurement. */
export interface NodeAmounts {
  available: bigint;
  capacity: bigint;
  /** Absent if the source does not report it. */
  time: Time | undefined;
}

/** Available memory; the capacity is the sum of it and the working set. */
export function memoryAmounts(memory: MemoryStatsInput | undefined): NodeAmounts | undefined {
  const available = read(memory, 'availableBytes');
  const used = read(memory, 'workingSetBytes');
  return available === undefined || used === undefined ? undefined : { available, capacity: available + used, time: memory?.time };
}

/** Memory stats of the cgroup of all pods. */
export function podsMemory({ systemContainers }: NodeStatsInput): MemoryStatsInput | undefined {
  return systemContainers?.find(({ name }) => name === 'pods')?.memory;
}

/** Available bytes and capacity of a file system. */
export function bytesAmounts(fs: FsStatsInput | undefined): NodeAmounts | undefined {
  return nodeAmounts(read(fs, 'availableBytes'), read(fs, 'capacityBytes'), fs?.time);
}

/** Free inodes and capacity of a file system. */
export function inodesAmounts(fs: FsStatsInput | undefined): NodeAmounts | undefined {
  return nodeAmounts(read(fs, 'inodesFree'), read(fs, 'inodes'), fs?.time);
}

/** Available process IDs and their maximum. */
export function processAmounts({ rlimit }: NodeStatsInput): NodeAmounts | undefined {
  const maximum = read(rlimit, 'maxpid');
  const used = read(rlimit, 'curproc');
  return maximum === undefined || used === undefined ? undefined : { available: maximum - used, capacity: maximum, time: rlimit?.time };
}

function nodeAmounts(available: bigint | undefined, capacity: bigint | undefined, time: Time | undefined): NodeAmounts | undefined {
  return available === undefined || capacity === undefined ? undefined : { available, capacity, time };
}
