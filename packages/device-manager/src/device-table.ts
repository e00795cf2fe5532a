import type { TopologyHint } from '@nodeagent/api';
import { deviceHints } from './device-hints.js';
import { hasTopologyAlignment, noDevices, type ResourceDevices } from './devices.js';
import { createPodDevices, type PodDevices } from './pod-devices.js';

/** The devices of the node by resource, and the containers that have them. */
export interface DeviceTable {
  /** By resource, as its plugin listed them last. */
  readonly resources: Map<string, ResourceDevices>;
  readonly podDevices: PodDevices;
  /** Whether a plugin has registered the resource, or a container has devices of it. */
  isDevice(resource: string): boolean;
  /** Ids of the devices in use, with the reserved ones, by resource. */
  readonly inUse: ReadonlyMap<string, ReadonlySet<string>>;
  /** Counts the devices as in use until {@link DeviceTable.refreshInUse}. */
  reserve(resource: string, ids: readonly string[]): void;
  /** Counts the devices of `podDevices` as in use, and no others. */
  refreshInUse(): void;
  /**
   * The hints for a request: for the devices that are held, if there are any, else for those that can be allocated. Null if the devices take
   * no part in NUMA alignment.
   */
  hints(resource: string, request: number, held: ReadonlySet<string> | undefined, reusable: ReadonlySet<string>): TopologyHint[] | null;
}

/** @param numaNodes - the NUMA nodes of the machine */
export function createDeviceTable(numaNodes: readonly number[]): DeviceTable {
  const resources = new Map<string, ResourceDevices>();
  const podDevices = createPodDevices();
  let inUse = podDevices.inUse();

  return {
    resources,
    podDevices,
    isDevice: (resource) => resources.has(resource) || inUse.has(resource),
    get inUse() {
      return inUse;
    },
    reserve(resource, ids) {
      inUse.set(resource, new Set([...(inUse.get(resource) ?? []), ...ids]));
    },
    refreshInUse() {
      inUse = podDevices.inUse();
    },
    hints(resource, request, held, reusable) {
      const devices = resources.get(resource) ?? noDevices;
      if (!hasTopologyAlignment(devices)) return null;
      if (held !== undefined)
        return held.size === request ? deviceHints({ devices, available: held, reusable: [], request, numaNodes }) : [];
      const used = inUse.get(resource);
      const available = [...devices.healthy].filter((id) => !used?.has(id));
      if (new Set([...available, ...reusable]).size < request) return [];
      return deviceHints({ devices, available, reusable, request, numaNodes });
    },
  };
}
