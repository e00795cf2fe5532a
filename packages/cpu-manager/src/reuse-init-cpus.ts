import type { Container, Pod } from '@nodeagent/api';
import { CpuSet, isSidecar, podUid } from '@nodeagent/api/helpers';
import { assignableContainers } from './cpu-requests.js';
import { type CpuState, exclusiveCpusOf, reusableCpusOf, withAssignment } from './cpu-state.js';
import { cpusInGroups, groupsOf } from './cpu-topology.js';
import type { StaticPolicy } from './static-policy.js';
import { takeByTopology } from './take-by-topology.js';

/**
 * Moves the CPUs of init containers into those of the containers that start after they have ended, and returns the others to the shared pool, so
 * that a pod holds no CPUs that only an ended container had. Each init container stays on its NUMA nodes. Call it once all containers of the
 * pod have their CPUs, before one starts. A pure function; returns `state` itself if nothing changes.
 */
export function reuseInitCpus(policy: StaticPolicy, state: CpuState, pod: Pod): CpuState {
  const isInit = ({ name }: Container) => pod.spec?.initContainers?.some((each) => each.name === name && !isSidecar(each)) ?? false;
  let next = state;
  let later = CpuSet.empty;
  // From the last container to the first: an init container can also use what a later one uses after its own move.
  for (const container of assignableContainers(pod).reverse()) {
    if (isInit(container)) next = moveInto(policy, next, podUid(pod), container.name, later);
    later = later.union(exclusiveCpusOf(next, podUid(pod), container.name) ?? CpuSet.empty);
  }
  return next;
}

function moveInto({ topology, options }: StaticPolicy, state: CpuState, podUID: string, name: string, later: CpuSet): CpuState {
  const own = exclusiveCpusOf(state, podUID, name) ?? CpuSet.empty;
  const shared = cpusInGroups(topology, later, 'numaNode', groupsOf(topology, own, 'numaNode'));
  const sharedCount = Math.min(own.size, shared.size);
  if (own.intersection(shared).size === sharedCount) return state;

  const first = takeByTopology(topology, shared, sharedCount, options);
  const moved = first.union(takeByTopology(topology, own.difference(first), own.size - sharedCount, options));
  const assignments = withAssignment(state.assignments, podUID, name, moved);
  const freed = own.difference(CpuSet.empty.union(...(assignments.get(podUID)?.values() ?? [])));
  return {
    defaultCpuSet: state.defaultCpuSet.union(freed),
    assignments,
    reusable: { podUID, cpus: reusableCpusOf(state, podUID).difference(freed) },
  };
}
