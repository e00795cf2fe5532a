import type { containerAllocateResponse, Message } from '@nodeagent/plugin-api';
import type { PluginDevice } from './devices.js';

/** The plugin's response for one container: what the container gets with its devices. */
export type AllocateResponse = Message<typeof containerAllocateResponse>;

/** Device ids by NUMA node; -1 for devices without NUMA nodes. A device that is close to several nodes is listed with each. */
export type DevicesPerNuma = Readonly<Record<number, readonly string[]>>;

/** The devices of one resource that a container has. */
export interface DeviceRecord {
  podUID: string;
  containerName: string;
  resource: string;
  devices: DevicesPerNuma;
  response: AllocateResponse;
}

/** The devices of all containers. */
export interface PodDevices {
  /** Replaces the container's record of the resource. */
  set(record: DeviceRecord): void;
  all(): DeviceRecord[];
  ofContainer(podUID: string, containerName: string): DeviceRecord[];
  /** The ids of the devices that a container has, or all containers of a pod; undefined if there is no record. */
  ids(podUID: string, containerName: string | undefined, resource: string): Set<string> | undefined;
  ofPod(podUID: string): DeviceRecord[];
  /** Removes the pods for which `isKept` is false, and reports whether there was one. */
  retain(isKept: (podUID: string) => boolean): boolean;
  /** The ids in use by resource. */
  inUse(): Map<string, Set<string>>;
}

export function createPodDevices(): PodDevices {
  const records = new Map<string, DeviceRecord>();
  const all = () => [...records.values()];
  return {
    set: (record) => void records.set(JSON.stringify([record.podUID, record.containerName, record.resource]), record),
    all,
    ofContainer: (podUID, containerName) => all().filter((record) => record.podUID === podUID && record.containerName === containerName),
    ids(podUID, containerName, resource) {
      const found = all().filter(
        (record) =>
          record.podUID === podUID &&
          record.resource === resource &&
          (containerName === undefined || record.containerName === containerName),
      );
      return found.length === 0 ? undefined : new Set(found.flatMap(idsOf));
    },
    ofPod: (podUID) => all().filter((record) => record.podUID === podUID),
    retain(isKept) {
      const removed = [...records].filter(([, { podUID }]) => !isKept(podUID));
      for (const [key] of removed) records.delete(key);
      return removed.length > 0;
    },
    inUse() {
      const ids = new Map<string, Set<string>>();
      for (const record of all()) {
        const ofResource = ids.get(record.resource) ?? new Set();
        ids.set(record.resource, ofResource);
        for (const id of idsOf(record)) ofResource.add(id);
      }
      return ids;
    },
  };
}

/** The ids of a record, each once. */
export function idsOf({ devices }: Pick<DeviceRecord, 'devices'>): string[] {
  return [...new Set(Object.values(devices).flat())];
}

const noTopologyNode = -1;

/** The ids by the NUMA nodes of their devices. */
export function devicesPerNuma(ids: readonly string[], all: ReadonlyMap<string, PluginDevice> | undefined): DevicesPerNuma {
  const perNode: Record<number, string[]> = {};
  for (const id of ids) {
    const nodes = all?.get(id)?.numaNodes ?? [];
    for (const node of nodes.length === 0 ? [noTopologyNode] : nodes) {
      perNode[node] ??= [];
      perNode[node].push(id);
    }
  }
  return perNode;
}
