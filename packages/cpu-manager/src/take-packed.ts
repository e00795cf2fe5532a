import { CpuSet } from '@nodeagent/api/helpers';
import type { CpuGroup, CpuTopology } from './cpu-topology.js';
import { notEnoughCpus } from './errors.js';
import { createFreeCpus, type FreeCpus } from './free-cpus.js';
import { type GroupOrder, numaNodeOrder, outerGroups, socketOrder } from './group-order.js';

/** How {@link takePacked} chooses. */
export interface PackedStrategy {
  /** Take the CPUs of a socket in the order of their numbers, without regard to cores. */
  spreadOverCores: boolean;
  /** Take whole uncore caches, or parts of a single one, if possible. */
  preferUncoreCaches: boolean;
}

/**
 * Takes CPUs in as few groups as possible: whole NUMA nodes and sockets, uncore caches, cores, then single CPUs, from the group with the fewest
 * free CPUs first. Throws `NotEnoughCpus`.
 */
export function takePacked(topology: CpuTopology, available: CpuSet, count: number, strategy: PackedStrategy): CpuSet {
  if (count < 1) return CpuSet.empty;
  if (count > available.size) throw notEnoughCpus(count, available.size);
  const cpus = createFreeCpus(topology, available, count);
  const outerKinds = outerGroups(topology);
  takeWholeGroups(topology, cpus, outerKinds[0], [outerKinds[0]]);
  takeWholeGroups(topology, cpus, outerKinds[1], outerKinds);
  if (strategy.preferUncoreCaches) takeUncoreCaches(topology, cpus);
  if (!strategy.spreadOverCores) takeWholeGroups(topology, cpus, 'core', [...outerKinds, 'core']);
  takeSingleCpus(topology, cpus, strategy);
  return cpus.taken;
}

/** Takes the groups of a kind that are free as a whole and not larger than what is needed. */
function takeWholeGroups(topology: CpuTopology, cpus: FreeCpus, kind: CpuGroup, order: GroupOrder): void {
  const isWhole = (id: number) => cpus.freeIn(kind, id).size === wholeSize(topology, kind, id);
  for (const id of cpus.sorted(...order).filter(isWhole)) {
    const group = topology.cpusOf(kind, id);
    if (cpus.needed >= group.size) cpus.take(group);
  }
}

/** The number of free CPUs that makes a group count as free. For sockets and cores the kubelet assumes that all are equally large. */
function wholeSize(topology: CpuTopology, kind: CpuGroup, id: number): number {
  return kind === 'socket' || kind === 'core' ? topology.cpusPer(kind) : topology.cpusOf(kind, id).size;
}

function takeUncoreCaches(topology: CpuTopology, cpus: FreeCpus): void {
  const order = [...numaNodeOrder(topology), 'uncoreCache'] as const;
  for (const id of cpus.sorted(...order)) {
    if (cpus.needed >= topology.cpusPer('uncoreCache')) takeWholeGroups(topology, cpus, 'uncoreCache', order);
    if (cpus.needed === 0) return;
    takePartOfUncoreCache(topology, cpus, id);
  }
}

/** Takes everything that is needed from one uncore cache, whole cores as far as possible, or nothing. */
function takePartOfUncoreCache(topology: CpuTopology, cpus: FreeCpus, id: number): void {
  const cpusPerCore = topology.cpusPer('core');
  const free = cpus.freeIn('uncoreCache', id);
  const cores = [...new Set(free.list().flatMap((cpu) => topology.infoOf(cpu)?.core ?? []))].sort((a, b) => a - b);
  const chosen = cores.slice(0, Math.ceil(cpus.needed / cpusPerCore)).flatMap((core) => cpus.freeIn('core', core).list());
  const part = CpuSet.of(chosen);
  const isOdd = cpus.needed % 2 !== 0 && cpusPerCore > 1;
  const kept = isOdd && part.size > cpus.needed ? CpuSet.of(part.list().slice(0, -1)) : part;
  if (kept.size === cpus.needed) cpus.take(kept);
}

function takeSingleCpus(topology: CpuTopology, cpus: FreeCpus, { spreadOverCores }: PackedStrategy): void {
  const cpusOf = (kind: CpuGroup, ids: readonly number[]) => ids.flatMap((id) => cpus.freeIn(kind, id).list());
  const ordered = spreadOverCores
    ? cpusOf('socket', cpus.sorted(...socketOrder(topology)))
    : cpusOf('core', cpus.sorted(...outerGroups(topology), 'core'));
  cpus.take(CpuSet.of(ordered.slice(0, cpus.needed)));
}
