import { type Container, NodeAgentError, type Pod, type TopologyHint } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { memoryManagerErrorCodes } from './errors.js';
import { giveBackMemory, sumOf, takeMemory } from './machine-memory.js';
import { calculateHints, violatesGroups } from './memory-hints.js';
import { containerMemoryRequests, isMemoryPinned, type MemoryRequests } from './memory-requests.js';
import { blocksOf, type MemoryBlock, type MemoryState } from './memory-state.js';
import { isNarrowerNodeSet } from './narrower-node-set.js';
import { reusableAfter, reusableBytes, shrinkInitBlocks } from './reusable-memory.js';

/** A hint that names its NUMA nodes. */
interface NodesHint {
  numaNodes: readonly number[];
  preferred: boolean;
}

/**
 * Assigns the memory that a container requests from the NUMA nodes of the topology manager's hint, which is extended if they have too
 * little; without nodes in the hint, from the best ones. Returns the changed state. Idempotent. Throws `MemoryAllocationFailed` with the
 * kubelet's text.
 */
export function allocateMemory(state: MemoryState, pod: Pod, container: Container, hint: TopologyHint): MemoryState {
  if (!isMemoryPinned(pod)) return state;
  const podUID = podUid(pod);
  const present = blocksOf(state, podUID, container.name);
  if (present !== undefined) return { ...state, reusable: reusableAfter(state, pod, container, present) };

  const requests = containerMemoryRequests(container);
  const { numaNodes } = chooseNodes(state, podUID, requests, hint);
  const numaAffinity = [...numaNodes];
  const blocks = Object.entries(requests).map(([type, size]): MemoryBlock => ({ numaAffinity, type, size }));

  const changed = structuredClone(state);
  for (const block of blocks) {
    const reused = reusableBytes(state, podUID, numaAffinity, block.type);
    takeMemory(changed.machineState, { ...block, size: Math.max(block.size - reused, 0) });
  }
  changed.entries[podUID] = { ...changed.entries[podUID], [container.name]: structuredClone(blocks) };
  changed.reusable = reusableAfter(state, pod, container, blocks);
  shrinkInitBlocks(changed, pod, container, blocks);
  return changed;
}

/** Takes the memory of a container back. Returns the changed state. Idempotent. */
export function releaseMemory(state: MemoryState, podUID: string, containerName: string): MemoryState {
  const blocks = blocksOf(state, podUID, containerName);
  if (blocks === undefined) return state;
  const changed = structuredClone(state);
  for (const block of blocks) giveBackMemory(changed.machineState, block);
  const { [containerName]: _, ...others } = changed.entries[podUID] ?? {};
  if (Object.keys(others).length === 0) delete changed.entries[podUID];
  else changed.entries[podUID] = others;
  return changed;
}

function chooseNodes(state: MemoryState, podUID: string, requests: MemoryRequests, { numaNodes, preferred }: TopologyHint): NodesHint {
  const candidates = () =>
    (calculateHints(state, podUID, requests).memory ?? []).map(({ numaNodes, ...rest }) => ({ ...rest, numaNodes: numaNodes ?? [] }));
  let best: NodesHint = { numaNodes: numaNodes ?? [], preferred };
  if (numaNodes === null) {
    const found = bestOf(candidates());
    if (found === undefined) throw failed('failed to get the default NUMA affinity, no NUMA nodes with enough memory is available');
    if (preferred && !found.preferred) throw failed('failed to find the default preferred hint');
    best = found;
  }
  const isEnough = Object.entries(requests).every(([type, size]) => sumOf(state.machineState, best.numaNodes, type, 'free') >= size);
  if (!isEnough) {
    const { numaNodes: needed } = best;
    const found = bestOf(candidates().filter((hint) => needed.every((id) => hint.numaNodes.includes(id))));
    if (found === undefined) throw failed('failed to find NUMA nodes to extend the current topology hint');
    if (best.preferred && !found.preferred) throw failed('failed to find the extended preferred hint');
    best = found;
  }
  if (violatesGroups(state.machineState, best.numaNodes)) throw failed('preferred hint violates NUMA node allocation');
  return best;
}

/** The narrowest hint. It is preferred if any is: the preferred hints are those with the fewest nodes. */
function bestOf(hints: readonly NodesHint[]): NodesHint | undefined {
  return hints.reduce<NodesHint | undefined>(
    (best, hint) => (best === undefined || isNarrowerNodeSet(hint.numaNodes, best.numaNodes) ? hint : best),
    undefined,
  );
}

function failed(problem: string): NodeAgentError {
  return new NodeAgentError(memoryManagerErrorCodes.allocationFailed, `[memorymanager] ${problem}`);
}
