import {
  formatResourceList,
  isExtendedResource,
  isHugePages,
  parseResourceList,
  Quantity,
  type ResourceList,
  type ResourceQuantities,
} from '@nodeagent/api';
import type { MachineInfo } from '../machine/machine-info.js';
import { notNegative } from './reservation.js';

/** What a device manager says of the node's extended resources. */
export interface DeviceResources {
  capacity: ResourceList;
  allocatable: ResourceList;
  /** Resources that a device plugin served and no longer does: reported as none. */
  removed: readonly string[];
}

export interface CapacityInput {
  /** What the node object says now; resources that nobody here knows stay. */
  existing?: { capacity?: ResourceList; allocatable?: ResourceList };
  /** Absent if it could not be read. */
  machine?: Pick<MachineInfo, 'cpus' | 'memoryBytes' | 'hugePages' | 'ephemeralStorageBytes'>;
  maxPods: number;
  /** 0: no limit by CPUs. */
  podsPerCore: number;
  /** See {@link nodeReservation}. */
  reservation: ReadonlyMap<string, Quantity>;
  devices?: DeviceResources;
}

/**
 * What the node has, and what of it pods may use. Capacity without reservation is allocatable; huge pages that are set aside come off
 * the allocatable memory. Kubernetes documentation, "Reserve Compute Resources for System Daemons".
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

/** How many pods the node takes: `maxPods`, or fewer if there are not the CPUs for them. */
export function podCapacity(cpus: number, { maxPods, podsPerCore }: Pick<CapacityInput, 'maxPods' | 'podsPerCore'>): number {
  return podsPerCore > 0 ? Math.min(cpus * podsPerCore, maxPods) : maxPods;
}

/** What the machine itself gives. A node whose machine cannot be looked at has no CPUs and no memory. */
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
