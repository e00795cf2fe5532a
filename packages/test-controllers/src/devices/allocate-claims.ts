import type { AllocationResult, DeviceClass, Node, ResourceClaim, ResourceSlice } from '@nodeagent/api';
import { allocationResult } from './allocation-result.js';
import { AllocationSearch } from './allocation-search.js';
import { claimName, type DeviceMatcher, requestOptions } from './claim-requests.js';
import { type Counters, poolCounters, release } from './counters.js';
import { type DevicesInUse, devicesInUse } from './devices-in-use.js';
import { type DevicePool, gatherPools, indexSlices } from './pools.js';

/** The devices of a cluster. */
export interface DeviceAllocatorInput {
  slices: readonly ResourceSlice[];
  classes: readonly DeviceClass[];
  /** All claims: those with an allocation use devices. */
  claims: Iterable<ResourceClaim>;
  matches: DeviceMatcher;
  /** Returns a new id for a share of a device. */
  newShareID(): string;
}

/** Allocates devices to claims, see {@link createDeviceAllocator}. */
export interface DeviceAllocator {
  /**
   * The allocations of the claims on a node, or why the node does not have them. Changes no state. Throws an Error if a claim or its class is
   * invalid, so that no node can have it.
   */
  allocate(node: Node, claims: readonly ResourceClaim[]): { allocations: AllocationResult[] } | { problem: string };
}

/**
 * Creates an allocator for the devices that are free now. It takes the first that fit, in the order of the names of drivers, pools and slices, and tries all
 * combinations. Kubernetes documentation, "Dynamic Resource Allocation".
 */
export function createDeviceAllocator({ slices, classes, claims, matches, newShareID }: DeviceAllocatorInput): DeviceAllocator {
  const index = indexSlices(slices);
  const classesByName = new Map(classes.map((each) => [each.metadata?.name ?? '', each]));
  const inUse = devicesInUse(claims);
  const countersOf = new Map<string, Counters>();
  const freeCounters = (pool: DevicePool): Counters => {
    const known = countersOf.get(pool.id) ?? unconsumed(pool.id, index.byPool.get(pool.id) ?? [], inUse);
    countersOf.set(pool.id, known);
    return known;
  };
  return {
    allocate(node, wanted) {
      const pools = gatherPools(index, node);
      const requests = wanted.map((claim) => {
        const options = requestOptions(claim, { node, pools, classes: classesByName, inUse, matches });
        checkConstraints(claim);
        return { claim, options };
      });
      const search = new AllocationSearch({ requests, pools, inUse, freeCounters });
      if (search.run()) return { allocations: search.chosen.map((chosen) => allocationResult(chosen, node, newShareID)) };
      const isInvalid = pools.some(({ problem }) => problem === 'invalid');
      return { problem: isInvalid ? 'invalid resource pools were encountered' : 'cannot allocate all claims' };
    },
  };
}

/** The counters of a pool without those of devices in use. */
function unconsumed(id: string, published: readonly ResourceSlice[], { exclusive, shared }: DevicesInUse): Counters {
  const newest = Math.max(...published.map(({ spec }) => spec?.pool?.generation ?? 0));
  const slices = published.filter(({ spec }) => (spec?.pool?.generation ?? 0) === newest);
  const counters = poolCounters(slices) ?? new Map();
  for (const device of slices.flatMap(({ spec }) => spec?.devices ?? [])) {
    const key = `${id}/${device.name}`;
    if (exclusive.has(key) || shared.has(key)) release(counters, device, -1);
  }
  return counters;
}

function checkConstraints(claim: ResourceClaim): void {
  const index = (claim.spec?.devices?.constraints ?? []).findIndex((each) => !each.matchAttribute && !each.distinctAttribute);
  if (index >= 0) throw new Error(`claim ${claimName(claim)}, constraint #${index}: empty constraint (unsupported constraint type?)`);
}
