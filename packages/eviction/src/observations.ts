import { type FsStats, type MemoryStats, parseTime, Quantity, type QuantityFormat, type Summary, type Time } from '@nodeagent/api';
import type { EvictionSignal, NodeFileSystem } from './signals.js';

/** What is left of something, and how much there is in all. */
export interface SignalObservation {
  available: Quantity;
  capacity: Quantity;
  /** When it was measured, in milliseconds since 1970; undefined if the source does not say. */
  at: number | undefined;
}

/** The signals that figures are known of. */
export type SignalObservations = ReadonlyMap<EvictionSignal, SignalObservation>;

/** What a summary says of each signal; one that lacks a figure is absent. Kubernetes documentation, "Node-pressure Eviction". */
export function makeObservations({ node }: Summary): SignalObservations {
  const observations = new Map<EvictionSignal, SignalObservation>();
  const observe = (
    signal: EvictionSignal,
    format: QuantityFormat,
    available: bigint | undefined,
    capacity: bigint | undefined,
    time: Time,
  ) => {
    if (available === undefined || capacity === undefined) return;
    observations.set(signal, { available: amount(available, format), capacity: amount(capacity, format), at: parseTime(time) });
  };
  const observeMemory = (signal: EvictionSignal, memory: MemoryStats | undefined) => {
    if (memory?.availableBytes === undefined || memory.workingSetBytes === undefined) return;
    observe(signal, 'BinarySI', memory.availableBytes, memory.availableBytes + memory.workingSetBytes, memory.time);
  };
  const observeFileSystem = (name: NodeFileSystem, fs: FsStats | undefined) => {
    if (fs === undefined) return;
    observe(`${name}.available`, 'BinarySI', fs.availableBytes, fs.capacityBytes, fs.time);
    observe(`${name}.inodesFree`, 'DecimalSI', fs.inodesFree, fs.inodes, fs.time);
  };

  observeMemory('memory.available', node.memory);
  observeMemory('allocatableMemory.available', node.systemContainers?.find(({ name }) => name === 'pods')?.memory);
  observeFileSystem('nodefs', node.fs);
  observeFileSystem('imagefs', node.runtime?.imageFs);
  observeFileSystem('containerfs', node.runtime?.containerFs);
  const { maxpid, curproc, time } = node.rlimit ?? {};
  if (maxpid !== undefined && curproc !== undefined) observe('pid.available', 'DecimalSI', maxpid - curproc, maxpid, time ?? '');
  return observations;
}

/** Unsigned 64-bit figures wrap around as in the kubelet: what is left below an exceeded limit is less than nothing. */
function amount(value: bigint, format: QuantityFormat): Quantity {
  return Quantity.of(BigInt.asIntN(64, value), format);
}
