import type { ResourceList } from '@nodeagent/api';
import {
  formatResourceList,
  isExtendedResource,
  isHugePages,
  parseResourceList,
  Quantity,
  type ResourceQuantities,
} from '@nodeagent/api/helpers';
import type { MachineInfo } from '../machine/machine-info.js';
import { notNegative } from './reservation.js';

/** Extended resources of the device manager. */
export interface DeviceResources {
  capacity: ResourceList;
  allocatable: ResourceList;
  /** Resources whose device plugin was removed; reported as 0. */
  removed: readonly string[];
}

export interface CapacityInput {
  /** Current resources of the Node object; unknown ones are kept. */
  existing?: { capacity?: ResourceList; allocatable?: ResourceList };
  /** Absent if it cannot be read. */
  machine?: Pick<MachineInfo, 'cpus' | 'memoryBytes' | 'hugePages' | 'ephemeralStorageBytes'>;
  maxPods: number;
  /** 0: not limited by CPUs. */
  podsPerCore: number;
  /** See {@link nodeReservation}. */
  reservation: ReadonlyMap<string, Quantity>;
  devices?: DeviceResources;
}

/**
 * Capacity and allocatable of the node. Allocatable is capacity minus reservation; huge pages are subtracted from allocatable memory.
 * Kubernetes documentation, "Reserve Compute Resources for System Daemons".
 */
export function nodeCapacity(input: CapacityInput): { capacity: ResourceList; allocatable: ResourceList } {
  const { existing, machine, reservation } = input;
  const capacity = parseResourceList(existing?.capacity);
  const devices = machine === undefined ? undefined : input.devices;
  for (const [name, amount] of machineCapacity(input)) capacity.set(name, amount);
  for (const [name, amount] of parseResourceList(devices?.capacity)) capacity.set(name, amount);
  for (const name of devices?.removed ?? []) capacity.set(name, Quantity.zero);

  const allocatable = parseResourceList(existing?.allocatable);
  for (const name of allocatable.keys()) if (!capacity.has(name) && isExtendedResource(name)) allocatable.delete(name);
  for (const [name, amount] of capacity) {
    const reserved = reservation.get(name);
    allocatable.set(name, notNegative(reserved === undefined ? amount : amount.sub(reserved)));
  }
  for (const [name, amount] of parseResourceList(devices?.allocatable)) allocatable.set(name, amount);
  for (const [name, amount] of capacity) {
    if (isHugePages(name)) allocatable.set('memory', notNegative((allocatable.get('memory') ?? Quantity.zero).sub(amount)));
  }
  return { capacity: formatResourceList(capacity), allocatable: formatResourceList(allocatable) };
}

/** Maximum number of pods: `maxPods`, or fewer if limited by CPUs. */
export function podCapacity(cpus: number, { maxPods, podsPerCore }: Pick<CapacityInput, 'maxPods' | 'podsPerCore'>): number {
  return podsPerCore > 0 ? Math.min(cpus * podsPerCore, maxPods) : maxPods;
}

/** Capacity of the machine. A machine that cannot be read has no CPUs and no memory. */
export function machineCapacity({
  machine,
  maxPods,
  podsPerCore,
}: Pick<CapacityInput, 'machine' | 'maxPods' | 'podsPerCore'>): ResourceQuantities {
  if (machine === undefined) {
    return new Map([
      ['cpu', Quantity.zero],
      ['memory', Quantity.of(0, 'BinarySI')],
      ['pods', Quantity.of(maxPods)],
    ]);
  }
  const { cpus, memoryBytes, hugePages, ephemeralStorageBytes } = machine;
  const capacity: ResourceQuantities = new Map([
    ['cpu', Quantity.ofMilli(cpus * 1000)],
    ['memory', Quantity.of(memoryBytes, 'BinarySI')],
    ['pods', Quantity.of(podCapacity(cpus, { maxPods, podsPerCore }))],
  ]);
  for (const { pageBytes, pages } of hugePages) capacity.set(hugePagesName(pageBytes), Quantity.of(pageBytes * pages, 'BinarySI'));
  if (ephemeralStorageBytes !== undefined) capacity.set('ephemeral-storage', Quantity.of(ephemeralStorageBytes, 'BinarySI'));
  return capacity;
}

/** `hugepages-2Mi` of 2097152. */
function hugePagesName(pageBytes: bigint): string {
  return `hugepages-${Quantity.of(pageBytes, 'BinarySI')}`;
}
