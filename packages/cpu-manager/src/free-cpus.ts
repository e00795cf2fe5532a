import { CpuSet } from '@nodeagent/api/helpers';
import { type CpuGroup, type CpuTopology, cpusInGroups, groupsOf } from './cpu-topology.js';
import type { GroupOrder } from './group-order.js';

/** Free CPUs from which a request takes some. */
export interface FreeCpus {
  readonly free: CpuSet;
  readonly taken: CpuSet;
  /** How many more CPUs the request needs. */
  readonly needed: number;
  take(cpus: CpuSet): void;
  /**
   * Numbers of the groups with free CPUs, nested: the groups of the first kind, in each of them those of the second, and so on; those of the last
   * kind are returned. On each level the group with the fewest free CPUs is first, then the one with the smaller number.
   */
  sorted(...kinds: GroupOrder): number[];
  /** The free CPUs of one group. */
  freeIn(kind: CpuGroup, id: number): CpuSet;
}

export function createFreeCpus(topology: CpuTopology, available: CpuSet, count: number): FreeCpus {
  let free = available;
  let taken = CpuSet.empty;
  const freeIn = (kind: CpuGroup, id: number) => free.intersection(topology.cpusOf(kind, id));
  const sortedIn = (cpus: CpuSet, kind: CpuGroup) => {
    const sizes = new Map(groupsOf(topology, cpus, kind).map((id) => [id, freeIn(kind, id).size]));
    return [...sizes.keys()].sort((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0) || a - b);
  };
  return {
    get free() {
      return free;
    },
    get taken() {
      return taken;
    },
    get needed() {
      return count - taken.size;
    },
    take(cpus) {
      taken = taken.union(cpus);
      free = free.difference(cpus);
    },
    sorted(first, ...rest) {
      let ids = sortedIn(free, first);
      let outer = first;
      for (const kind of rest) {
        ids = ids.flatMap((id) => sortedIn(cpusInGroups(topology, free, outer, [id]), kind));
        outer = kind;
      }
      return ids;
    },
    freeIn,
  };
}
