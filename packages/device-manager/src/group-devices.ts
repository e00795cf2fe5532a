import { hasTopologyAlignment, type ResourceDevices } from './devices.js';

/** Available devices by how they fit the topology manager's hint. Each device is in one group. */
export interface DeviceGroups {
  /** On a NUMA node of the hint. */
  aligned: string[];
  /** On other NUMA nodes. */
  unaligned: string[];
  /** Without NUMA nodes; all devices if there is no hint or the resource takes no part in alignment. */
  noTopology: string[];
}

/** Groups available devices, given by id. `hintNodes` are the NUMA nodes of the hint, null without any. */
export function groupDevices(
  devices: Pick<ResourceDevices, 'all'>,
  available: Iterable<string>,
  hintNodes: readonly number[] | null,
): DeviceGroups {
  const groups: DeviceGroups = { aligned: [], unaligned: [], noTopology: [] };
  const isGrouped = hintNodes !== null && hasTopologyAlignment(devices);
  for (const id of available) {
    const nodes = devices.all.get(id)?.numaNodes ?? [];
    if (!isGrouped || nodes.length === 0) groups.noTopology.push(id);
    else if (nodes.some((node) => hintNodes.includes(node))) groups.aligned.push(id);
    else groups.unaligned.push(id);
  }
  return groups;
}
