import { type Container, errorMessage, type Pod, type TopologyHint } from '@nodeagent/api';
import { CpuSet, isSidecar, podUid } from '@nodeagent/api/helpers';
import { assignableContainers, exclusiveCpuCount } from './cpu-requests.js';
import { type CpuState, exclusiveCpusOf, reusableCpusOf, withAssignment } from './cpu-state.js';
import { cpusInGroups, groupsOf } from './cpu-topology.js';
import { smtAlignmentError } from './errors.js';
import { reuseInitCpus } from './reuse-init-cpus.js';
import { freeCpus, freePhysicalCpus, type StaticPolicy } from './static-policy.js';
import { takeByTopology } from './take-by-topology.js';

/** The result of {@link allocateCpus}. */
export interface CpuAllocation {
  state: CpuState;
  /** The exclusive CPUs of the container; undefined if it runs on the shared pool. */
  cpus: CpuSet | undefined;
  /** Whether the container got them by this call. */
  isNew: boolean;
}

/**
 * Assigns exclusive CPUs to a container that is to have some: from the hinted NUMA nodes first, then from any. A container that has CPUs keeps
 * them. A pure function. Throws `SMTAlignmentError` or `NotEnoughCpus`.
 */
export function allocateCpus(policy: StaticPolicy, state: CpuState, pod: Pod, container: Container, hint: TopologyHint): CpuAllocation {
  const count = exclusiveCpuCount(pod, container);
  if (count === 0) return { state, cpus: undefined, isNew: false };
  if (policy.options.fullPCPUsOnly) requireWholeCores(policy, state, count);
  const uid = podUid(pod);
  const current = exclusiveCpusOf(state, uid, container.name);
  if (current !== undefined) return { state: updateReusable(state, pod, container, current), cpus: current, isNew: false };

  const candidates = freeCpus(policy, state).union(reusableCpusOf(state, uid));
  const cpus = takeAligned(policy, candidates, count, hint);
  const allocated: CpuState = {
    ...state,
    defaultCpuSet: state.defaultCpuSet.difference(cpus),
    assignments: withAssignment(state.assignments, uid, container.name, cpus),
  };
  return { state: updateReusable(allocated, pod, container, cpus), cpus, isNew: true };
}

function requireWholeCores(policy: StaticPolicy, state: CpuState, count: number): void {
  const cpusPerCore = policy.topology.cpusPer('core');
  if (count % cpusPerCore !== 0) throw smtAlignmentError(`requested ${count} cpus not multiple cpus per core = ${cpusPerCore}`);
  const available = freePhysicalCpus(policy, state).size;
  if (count <= available) return;
  throw smtAlignmentError(
    `not enough free physical CPUs: available physical CPUs = ${available}, requested CPUs = ${count}, CPUs per core = ${cpusPerCore}`,
  );
}

function takeAligned({ topology, options }: StaticPolicy, candidates: CpuSet, count: number, { numaNodes }: TopologyHint): CpuSet {
  const aligned = numaNodes === null ? CpuSet.empty : cpusInGroups(topology, candidates, 'numaNode', numaNodes);
  const alignedOrSockets = options.alignBySocket && numaNodes !== null ? cpusOfSockets() : aligned;
  const first = takeByTopology(topology, alignedOrSockets, Math.min(alignedOrSockets.size, count), options);
  return first.union(takeByTopology(topology, candidates.difference(first), count - first.size, options));

  /** The candidates in the sockets of the hinted NUMA nodes. */
  function cpusOfSockets(): CpuSet {
    const hinted = cpusInGroups(topology, topology.cpus, 'numaNode', numaNodes ?? []);
    return cpusInGroups(topology, candidates, 'socket', groupsOf(topology, hinted, 'socket'));
  }
}

/** Init containers that end leave their CPUs to later containers of the pod; sidecars and regular containers keep theirs. */
function updateReusable(state: CpuState, pod: Pod, container: Container, cpus: CpuSet): CpuState {
  const podUID = podUid(pod);
  const before = reusableCpusOf(state, podUID);
  const endsBeforeOthers = pod.spec?.initContainers?.some((each) => each.name === container.name && !isSidecar(each)) ?? false;
  return { ...state, reusable: { podUID, cpus: endsBeforeOthers ? before.union(cpus) : before.difference(cpus) } };
}

/** The CPUs that one container of a pod would get. */
export interface PlannedCpus {
  containerName: string;
  /** The exclusive CPUs in Linux list notation, such as `2-3,10`; null: the shared pool. */
  cpus: string | null;
}

/** The CPUs that a pod would get. */
export interface CpuPlan {
  containers: PlannedCpus[];
  /** Why the pod would be refused; absent if it would be admitted. */
  error?: string;
}

/** The CPUs that the containers of a pod would get now, without hints of a topology manager. A pure function. */
export function planCpus(policy: StaticPolicy, state: CpuState, pod: Pod): CpuPlan {
  let next = state;
  let done = 0;
  let failure: { error?: string } = {};
  const all = assignableContainers(pod);
  try {
    for (const container of all) {
      next = allocateCpus(policy, next, pod, container, { numaNodes: null, preferred: false }).state;
      done++;
    }
    next = reuseInitCpus(policy, next, pod);
  } catch (error) {
    failure = { error: errorMessage(error) };
  }
  const cpusOf = ({ name }: Container) => exclusiveCpusOf(next, podUid(pod), name)?.toString() ?? null;
  const containers = all.slice(0, done).map((container) => ({ containerName: container.name, cpus: cpusOf(container) }));
  return { containers, ...failure };
}
