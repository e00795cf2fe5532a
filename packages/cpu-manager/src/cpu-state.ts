import { CpuSet } from '@nodeagent/api/helpers';

/** Exclusive CPUs by pod UID and container name. */
export type CpuAssignments = ReadonlyMap<string, ReadonlyMap<string, CpuSet>>;

/** The CPUs of a node, as the static policy divides them. Immutable. */
export interface CpuState {
  /** CPUs without exclusive container: the shared pool, with reserved CPUs unless the reservation is strict. */
  defaultCpuSet: CpuSet;
  assignments: CpuAssignments;
  /** CPUs of init containers that later containers of the same pod can get. Of the pod that was assigned CPUs last; not kept over a restart. */
  reusable?: { podUID: string; cpus: CpuSet };
}

export const emptyCpuState: CpuState = { defaultCpuSet: CpuSet.empty, assignments: new Map() };

/** The exclusive CPUs of a container; undefined if it has none. */
export function exclusiveCpusOf({ assignments }: CpuState, podUID: string, containerName: string): CpuSet | undefined {
  return assignments.get(podUID)?.get(containerName);
}

/** The CPUs of init containers that the pod's next container can get. */
export function reusableCpusOf({ reusable }: CpuState, podUID: string): CpuSet {
  return reusable?.podUID === podUID ? reusable.cpus : CpuSet.empty;
}

/** Every assignment, by pod and container. */
export function* eachAssignment(assignments: CpuAssignments): Generator<{ podUID: string; containerName: string; cpus: CpuSet }> {
  for (const [podUID, containers] of assignments) for (const [containerName, cpus] of containers) yield { podUID, containerName, cpus };
}

/** The assignments with that of one container replaced, or removed if `cpus` is undefined. */
export function withAssignment(
  assignments: CpuAssignments,
  podUID: string,
  containerName: string,
  cpus: CpuSet | undefined,
): CpuAssignments {
  const containers = new Map(assignments.get(podUID));
  if (cpus === undefined) containers.delete(containerName);
  else containers.set(containerName, cpus);
  const all = new Map(assignments);
  if (containers.size === 0) all.delete(podUID);
  else all.set(podUID, containers);
  return all;
}

/** Returns the exclusive CPUs of a container to the shared pool, except those that other containers of its pod have too. */
export function releaseCpus(state: CpuState, podUID: string, containerName: string): CpuState {
  const cpus = exclusiveCpusOf(state, podUID, containerName);
  if (cpus === undefined) return state;
  const assignments = withAssignment(state.assignments, podUID, containerName, undefined);
  const inUse = CpuSet.empty.union(...(assignments.get(podUID)?.values() ?? []));
  return { ...state, assignments, defaultCpuSet: state.defaultCpuSet.union(cpus.difference(inUse)) };
}
