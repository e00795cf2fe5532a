import type { Container, Pod } from '@nodeagent/api';
import { CpuSet, isSidecar, podUid } from '@nodeagent/api/helpers';
import { isSameGroup } from './machine-memory.js';
import { blocksOf, type MemoryBlock, type MemoryState, type ReusableMemory } from './memory-state.js';

/** Bytes on exactly these nodes that the pod's next container can reuse. */
export function reusableBytes({ reusable }: MemoryState, podUID: string, nodes: readonly number[], type: string): number {
  return reusable?.podUID === podUID ? (reusable.byNodes[keyOf(nodes)]?.[type] ?? 0) : 0;
}

/** What the pod's next container can reuse once this one has its blocks: more after an init container, less after any other. */
export function reusableAfter(state: MemoryState, pod: Pod, container: Container, blocks: readonly MemoryBlock[]): ReusableMemory {
  const podUID = podUid(pod);
  const byNodes = structuredClone(state.reusable?.podUID === podUID ? state.reusable.byNodes : {});
  const isInit = isPlainInitContainer(pod, container.name);
  for (const { numaAffinity, type, size } of blocks) {
    const key = keyOf(numaAffinity);
    const before = byNodes[key]?.[type] ?? 0;
    byNodes[key] = { ...byNodes[key], [type]: isInit ? Math.max(before, size) : Math.max(before - size, 0) };
  }
  return { podUID, byNodes };
}

/**
 * Shrinks the blocks of init containers before this one by what it reuses of them, so that the blocks of a pod add up to its memory.
 * Changes `state`.
 */
export function shrinkInitBlocks(state: MemoryState, pod: Pod, container: Container, blocks: readonly MemoryBlock[]): void {
  for (const { numaAffinity, type, size } of blocks) {
    let reused = size;
    for (const name of plainInitContainersBefore(pod, container.name)) {
      for (const block of blocksOf(state, podUid(pod), name) ?? []) {
        if (block.type !== type || !isSameGroup(block.numaAffinity, numaAffinity)) continue;
        const taken = Math.min(block.size, reused);
        block.size -= taken;
        reused -= taken;
      }
    }
  }
}

/** Names of the init containers that have finished when this container starts: those before it, without sidecars. */
export function plainInitContainersBefore(pod: Pod, containerName: string): string[] {
  const initContainers = pod.spec?.initContainers ?? [];
  const index = initContainers.findIndex(({ name }) => name === containerName);
  return (index === -1 ? initContainers : initContainers.slice(0, index)).filter((each) => !isSidecar(each)).map(({ name }) => name);
}

function isPlainInitContainer(pod: Pod, containerName: string): boolean {
  return pod.spec?.initContainers?.some((each) => each.name === containerName && !isSidecar(each)) ?? false;
}

const keyOf = (nodes: readonly number[]) => CpuSet.of(nodes).toString();
