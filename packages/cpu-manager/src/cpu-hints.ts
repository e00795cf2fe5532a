import type { Container, Pod, TopologyHint, TopologyHints } from '@nodeagent/api';
import { CpuSet, podUid } from '@nodeagent/api/helpers';
import { combinations } from './combinations.js';
import { assignableContainers, exclusiveCpuCount, exclusivePodCpuCount } from './cpu-requests.js';
import { type CpuState, exclusiveCpusOf, reusableCpusOf } from './cpu-state.js';
import { cpusInGroups, groupsOf } from './cpu-topology.js';
import { freeCpus, type StaticPolicy } from './static-policy.js';

const noPreference: TopologyHints = {};
/** CPUs that are assigned to a container cannot be changed. */
const impossible: TopologyHints = { cpu: [] };

/** The hints for the exclusive CPUs of a container; no preference if it gets none. A pure function. */
export function containerCpuHints(policy: StaticPolicy, state: CpuState, pod: Pod, container: Container): TopologyHints {
  const count = exclusiveCpuCount(pod, container);
  if (count === 0) return noPreference;
  const current = exclusiveCpusOf(state, podUid(pod), container.name);
  if (current !== undefined) return current.size === count ? { cpu: generateHints(policy, current, CpuSet.empty, count) } : impossible;
  return { cpu: generateHints(policy, freeCpus(policy, state), reusableCpusOf(state, podUid(pod)), count) };
}

/** The hints for the exclusive CPUs of all containers of a pod together; no preference if it gets none. A pure function. */
export function podCpuHints(policy: StaticPolicy, state: CpuState, pod: Pod): TopologyHints {
  const count = exclusivePodCpuCount(pod);
  if (count === 0) return noPreference;
  let assigned = CpuSet.empty;
  for (const container of assignableContainers(pod)) {
    const current = exclusiveCpusOf(state, podUid(pod), container.name);
    if (current === undefined) continue;
    if (current.size !== exclusiveCpuCount(pod, container)) return impossible;
    assigned = assigned.union(current);
  }
  if (assigned.size === count) return { cpu: generateHints(policy, assigned, CpuSet.empty, count) };
  return { cpu: generateHints(policy, freeCpus(policy, state), reusableCpusOf(state, podUid(pod)).union(assigned), count) };
}

/**
 * One hint for each set of NUMA nodes that contains all reusable CPUs and has enough CPUs with the available ones. A hint is preferred if no set
 * of fewer nodes could provide the request on an empty machine.
 */
function generateHints({ topology, options }: StaticPolicy, available: CpuSet, reusable: CpuSet, count: number): TopologyHint[] {
  const nodes = topology.groups('numaNode');
  const sizeOf = new Map(nodes.map((node) => [node, topology.cpusOf('numaNode', node).size]));
  const freeOf = new Map(nodes.map((node) => [node, cpusInGroups(topology, available.union(reusable), 'numaNode', [node]).size]));
  const total = (sizes: ReadonlyMap<number, number>, set: readonly number[]) => set.reduce((sum, node) => sum + (sizes.get(node) ?? 0), 0);
  const required = groupsOf(topology, reusable, 'numaNode');

  const sets: number[][] = [];
  let minSize = nodes.length;
  for (let size = 1; size <= nodes.length; size++) {
    for (const set of combinations(nodes, size)) {
      if (size < minSize && total(sizeOf, set) >= count) minSize = size;
      if (required.every((node) => set.includes(node)) && total(freeOf, set) >= count) sets.push(set);
    }
  }
  const isPreferred = (set: readonly number[]) => set.length === minSize || (options.alignBySocket && spansFewestSockets(set));
  return sets.map((set) => ({ numaNodes: set, preferred: isPreferred(set) }));

  function spansFewestSockets(set: readonly number[]): boolean {
    const nodesPerSocket = Math.floor(nodes.length / topology.groups('socket').length);
    const sockets = groupsOf(topology, cpusInGroups(topology, topology.cpus, 'numaNode', set), 'socket').length;
    return nodesPerSocket > 0 && sockets === Math.ceil(minSize / nodesPerSocket);
  }
}
