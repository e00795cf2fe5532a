import type { Device, DeviceNodes, Node, ResourceSlice } from '@nodeagent/api';
import { matchesNodeSelector } from '@nodeagent/api/helpers';
import { poolCounters } from './counters.js';

/** A device that claims on a node can get. */
export interface PoolDevice {
  /** `driver/pool/device`. */
  id: string;
  device: Device;
  slice: ResourceSlice;
  pool: DevicePool;
}

/** The devices of a pool that a node reaches. */
export interface DevicePool {
  /** `driver/pool`. */
  id: string;
  /** `incomplete`: its driver has not published all slices of the generation. `invalid`: its slices contradict each other. */
  problem?: 'incomplete' | 'invalid';
  devices: PoolDevice[];
}

/** The slices of all pools, by node and by pool. */
export interface SliceIndex {
  onNode: ReadonlyMap<string, ResourceSlice[]>;
  /** The slices that are not limited to a node by its name, and those with counters. */
  shared: ResourceSlice[];
  byPool: ReadonlyMap<string, ResourceSlice[]>;
}

const poolId = ({ spec }: ResourceSlice) => `${spec?.driver}/${spec?.pool?.name}`;
const generation = ({ spec }: ResourceSlice) => spec?.pool?.generation ?? 0;
const hasCounters = ({ spec }: ResourceSlice) => (spec?.sharedCounters?.length ?? 0) > 0;
const byText = (a = '', b = '') => (a < b ? -1 : a > b ? 1 : 0);

export function indexSlices(slices: readonly ResourceSlice[]): SliceIndex {
  const onNode = new Map<string, ResourceSlice[]>();
  const byPool = new Map<string, ResourceSlice[]>();
  const shared: ResourceSlice[] = [];
  const add = (map: Map<string, ResourceSlice[]>, key: string, slice: ResourceSlice) => {
    const known = map.get(key);
    if (known) known.push(slice);
    else map.set(key, [slice]);
  };
  for (const slice of slices) {
    const { nodeName } = slice.spec ?? {};
    if (nodeName && !hasCounters(slice)) add(onNode, nodeName, slice);
    else shared.push(slice);
    add(byPool, poolId(slice), slice);
  }
  return { onNode, byPool, shared };
}

/** Whether the node reaches a device. */
export function reachesDevice(node: Node, { nodeName, nodeSelector, allNodes }: DeviceNodes): boolean {
  if (nodeName) return node.metadata?.name === nodeName;
  return allNodes === true || (nodeSelector !== undefined && matchesNodeSelector(nodeSelector, node));
}

function isRelevant(slice: ResourceSlice, node: Node): boolean {
  const { spec } = slice;
  if (!spec) return false;
  if (hasCounters(slice)) return true;
  if (!spec.perDeviceNodeSelection) return reachesDevice(node, spec);
  return spec.devices?.some((device) => reachesDevice(node, device)) ?? false;
}

/**
 * The pools with devices that the node reaches, in the order in which they are used: those whose devices need conditions before binding are last.
 * Kubernetes documentation, "Dynamic Resource Allocation: ResourceSlice".
 */
export function gatherPools({ onNode, shared, byPool }: SliceIndex, node: Node): DevicePool[] {
  const found = new Map<string, ResourceSlice[]>();
  for (const slice of [...(onNode.get(node.metadata?.name ?? '') ?? []), ...shared]) {
    if (!isRelevant(slice, node)) continue;
    const id = poolId(slice);
    const known = found.get(id);
    const newer = known ? generation(slice) - generation(known[0] as ResourceSlice) : 1;
    if (newer > 0) found.set(id, [slice]);
    else if (newer === 0) known?.push(slice);
  }
  const pools = Array.from(found, ([id, slices]) => poolOf(id, slices, byPool.get(id) ?? [])).filter((pool) => pool !== undefined);
  return pools.sort((a, b) => Number(needsConditions(a)) - Number(needsConditions(b)) || byText(a.id, b.id));
}

const needsConditions = ({ devices }: DevicePool) => devices.some(({ device }) => device.bindingConditions !== undefined);

/** Undefined if the driver replaces the pool. `slices` are those of the node, `published` those of all nodes. */
function poolOf(id: string, slices: ResourceSlice[], published: readonly ResourceSlice[]): DevicePool | undefined {
  const first = slices[0] as ResourceSlice;
  const count = first.spec?.pool?.resourceSliceCount;
  const current = published.filter((slice) => generation(slice) === generation(first));
  if (slices.length !== count) {
    if (published.some((slice) => generation(slice) > generation(first))) return undefined;
    if (current.length !== count) return { id, problem: 'incomplete', devices: [] };
  }
  const pool: DevicePool = { id, devices: [] };
  const sorted = slices.filter((slice) => !hasCounters(slice)).sort((a, b) => byText(a.metadata?.name, b.metadata?.name));
  for (const slice of sorted) {
    for (const device of slice.spec?.devices ?? []) pool.devices.push({ id: `${id}/${device.name}`, device, slice, pool });
  }
  const isValid = new Set(pool.devices.map((each) => each.id)).size === pool.devices.length && poolCounters(current) !== undefined;
  return isValid ? pool : { id, problem: 'invalid', devices: [] };
}
