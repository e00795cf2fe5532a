import type { Container, Pod, TopologyHint, TopologyHints } from '@nodeagent/api';
import { numaNodeSets, podUid } from '@nodeagent/api/helpers';
import { isSameGroup, nodesOf, sumOf } from './machine-memory.js';
import { containerMemoryRequests, isMemoryPinned, type MemoryRequests, podMemoryRequests } from './memory-requests.js';
import { blocksOf, type MachineMemory, type MemoryBlock, type MemoryState } from './memory-state.js';
import { reusableBytes } from './reusable-memory.js';

/** The hints of the static policy for one container. A container that has memory gets the hint of its nodes. */
export function memoryHints(state: MemoryState, pod: Pod, container: Container): TopologyHints {
  if (!isMemoryPinned(pod)) return {};
  const requests = containerMemoryRequests(container);
  const blocks = blocksOf(state, podUid(pod), container.name);
  return blocks === undefined ? calculateHints(state, podUid(pod), requests) : hintsOfBlocks(blocks, requests);
}

/** The hints of the static policy for all containers of a pod together. */
export function podMemoryHints(state: MemoryState, pod: Pod): TopologyHints {
  if (!isMemoryPinned(pod)) return {};
  const requests = podMemoryRequests(pod);
  for (const { name } of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) {
    const blocks = blocksOf(state, podUid(pod), name);
    if (blocks !== undefined) return hintsOfBlocks(blocks, requests);
  }
  return calculateHints(state, podUid(pod), requests);
}

/**
 * The sets of NUMA nodes that have the requested memory free and that no container of another group uses: KEP-1769, Memory Manager. All types
 * have the same list. Without a set, no hints.
 */
export function calculateHints(state: MemoryState, podUID: string, requests: MemoryRequests): Record<string, TopologyHint[]> {
  const { machineState } = state;
  const types = Object.entries(requests);
  const has = (nodes: readonly number[], field: 'allocatable' | 'free', extra: (type: string) => number) =>
    types.every(([type, size]) => sumOf(machineState, nodes, type, field) + extra(type) >= size);

  const nodes = nodesOf(machineState);
  const sets = [...numaNodeSets(nodes)].filter((set) => has(set, 'allocatable', () => 0));
  // Judged by what the nodes have in total: if the smallest sets are in use, no hint is preferred.
  const minSize = Math.min(nodes.length, ...sets.map((set) => set.length));
  const hints = sets
    .filter((set) => canJoin(machineState, set) && has(set, 'free', (type) => reusableBytes(state, podUID, set, type)))
    .map((set): TopologyHint => ({ numaNodes: set, preferred: set.length === minSize }));
  return hints.length === 0 ? {} : Object.fromEntries(types.map(([type]) => [type, hints]));
}

/** Whether some node of the set is used by containers of another group: a node is never used alone and in a group at once. */
export function violatesGroups(machineState: MachineMemory, set: readonly number[]): boolean {
  return set.length > 1 && set.some((id) => isInOtherGroup(machineState, id, set));
}

function canJoin(machineState: MachineMemory, set: readonly number[]): boolean {
  const [first = 0] = set;
  return set.length === 1 ? (machineState[first]?.cells.length ?? 0) <= 1 : !violatesGroups(machineState, set);
}

function isInOtherGroup(machineState: MachineMemory, id: number, set: readonly number[]): boolean {
  const node = machineState[id];
  return node !== undefined && node.numberOfAssignments > 0 && (node.cells.length === 1 || !isSameGroup(node.cells, set));
}

/** No preference if the request has changed since the blocks were assigned. */
function hintsOfBlocks(blocks: readonly MemoryBlock[], requests: MemoryRequests): TopologyHints {
  const isUnchanged = blocks.length === Object.keys(requests).length && blocks.every(({ type, size }) => requests[type] === size);
  if (!isUnchanged) return {};
  return Object.fromEntries(blocks.map(({ type, numaAffinity }) => [type, [{ numaNodes: numaAffinity, preferred: true }]]));
}
