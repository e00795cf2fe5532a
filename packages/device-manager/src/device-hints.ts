import type { TopologyHint } from '@nodeagent/api';
import { numaNodeSets } from '@nodeagent/api/helpers';
import type { PluginDevice, ResourceDevices } from './devices.js';

/** Input of {@link deviceHints}. */
export interface DeviceHintsInput {
  devices: Pick<ResourceDevices, 'all'>;
  /** Ids of the devices that are healthy and not in use, or that the container has. */
  available: Iterable<string>;
  /** Ids of the devices of the pod's finished init containers: the container gets these first. */
  reusable: Iterable<string>;
  /** How many devices are requested. */
  request: number;
  /** The NUMA nodes of the machine, ascending. */
  numaNodes: readonly number[];
}

/** The sets of NUMA nodes that have the requested devices available, preferred if no smaller set could have them: KEP-693. */
export function deviceHints({ devices, available, reusable, request, numaNodes }: DeviceHintsInput): TopologyHint[] {
  const nodesOf = (device: PluginDevice | undefined) => (device?.numaNodes ?? []).filter((id) => numaNodes.includes(id));
  const listed = new Set([...devices.all.values()].flatMap(nodesOf));
  const nodes = listed.size === 0 ? numaNodes : numaNodes.filter((id) => listed.has(id));
  const isIn = (set: readonly number[], device: PluginDevice | undefined) => nodesOf(device).some((id) => set.includes(id));
  const count = (set: readonly number[], ids: Iterable<PluginDevice | undefined>) => [...ids].filter((device) => isIn(set, device)).length;
  const devicesOf = (ids: Iterable<string>) => Array.from(ids, (id) => devices.all.get(id));

  const free = devicesOf(available);
  const bound = devicesOf(reusable).filter((device) => device !== undefined && device.numaNodes !== null);
  const sets = [...numaNodeSets(nodes)];
  const minSize = Math.min(nodes.length, ...sets.filter((set) => count(set, devices.all.values()) >= request).map((set) => set.length));
  return sets
    .filter((set) => bound.every((device) => isIn(set, device)) && bound.length + count(set, free) >= request)
    .map((set) => ({ numaNodes: set, preferred: set.length === minSize }));
}
