import type { CpuInfo, MachineTopology } from '@nodeagent/api';
import { CpuSet } from '@nodeagent/api/helpers';

/** A kind of group of CPUs. */
export type CpuGroup = Exclude<keyof CpuInfo, 'cpu'>;

/** The CPUs of a machine, with their groups. */
export interface CpuTopology {
  /** All CPUs. */
  cpus: CpuSet;
  /** Numbers of all groups of a kind, ascending. */
  groups(kind: CpuGroup): readonly number[];
  /** The CPUs of one group. Empty for an unknown number. */
  cpusOf(kind: CpuGroup, id: number): CpuSet;
  /** The description of one CPU; undefined for an unknown number. */
  infoOf(cpu: number): CpuInfo | undefined;
  /** The number of CPUs of a group, if all groups of the kind are equally large; rounded down. */
  cpusPer(kind: CpuGroup): number;
}

/** Indexes the CPUs of a machine. */
export function indexCpus({ cpus }: Pick<MachineTopology, 'cpus'>): CpuTopology {
  const byCpu = new Map(cpus.map((info) => [info.cpu, info]));
  const kinds = ['core', 'socket', 'numaNode', 'uncoreCache'] as const;
  const groups = Object.fromEntries(kinds.map((kind) => [kind, groupCpus(cpus, kind)])) as Record<CpuGroup, Map<number, CpuSet>>;
  return {
    cpus: CpuSet.of(byCpu.keys()),
    groups: (kind) => [...groups[kind].keys()],
    cpusOf: (kind, id) => groups[kind].get(id) ?? CpuSet.empty,
    infoOf: (cpu) => byCpu.get(cpu),
    cpusPer: (kind) => Math.floor(cpus.length / groups[kind].size),
  };
}

function groupCpus(cpus: readonly CpuInfo[], kind: CpuGroup): Map<number, CpuSet> {
  const ids = [...new Set(cpus.map((info) => info[kind]))].sort((a, b) => a - b);
  return new Map(ids.map((id) => [id, CpuSet.of(cpus.filter((info) => info[kind] === id).map(({ cpu }) => cpu))]));
}

/** The CPUs of the set that are in a group with one of the numbers. */
export function cpusInGroups(topology: CpuTopology, cpus: CpuSet, kind: CpuGroup, ids: readonly number[]): CpuSet {
  return cpus.filter((cpu) => ids.includes(topology.infoOf(cpu)?.[kind] ?? -1));
}

/** The numbers of the groups of a kind that contain CPUs of the set, ascending. */
export function groupsOf(topology: CpuTopology, cpus: CpuSet, kind: CpuGroup): number[] {
  return [...new Set(cpus.list().flatMap((cpu) => topology.infoOf(cpu)?.[kind] ?? []))].sort((a, b) => a - b);
}
