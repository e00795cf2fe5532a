import { invalidOptionText, type NumaNodeInfo, type ResourceList } from '@nodeagent/api';
import { parseResourceList, Quantity } from '@nodeagent/api/helpers';
import { isMemoryType, type SystemReservedMemory } from './machine-memory.js';

/** `reservedMemory` of KubeletConfiguration: what the system keeps on one NUMA node. */
export interface MemoryReservation {
  numaNode: number;
  /** `memory` and huge pages. */
  limits: ResourceList;
}

/**
 * The reserved memory in bytes. For each type the sum over the nodes must equal what Node Allocatable reserves: system reserved, kube reserved
 * and the hard eviction threshold. Throws `InvalidOption` with the kubelet's text.
 */
export function systemReservedMemory(
  numaNodes: readonly Pick<NumaNodeInfo, 'id'>[],
  reservations: readonly MemoryReservation[],
  nodeAllocatableReservation: ResourceList,
): SystemReservedMemory {
  const totals = new Map<string, Quantity>();
  const byNode: Record<number, Record<string, number>> = {};
  for (const { numaNode, limits } of reservations) {
    if (!numaNodes.some(({ id }) => id === numaNode)) {
      throw invalid(`the reserved memory configuration references a NUMA node ${numaNode} that does not exist on this machine`);
    }
    for (const [type, amount] of parseResourceList(limits)) {
      totals.set(type, totals.get(type)?.add(amount) ?? amount);
      byNode[numaNode] = { ...byNode[numaNode], [type]: (byNode[numaNode]?.[type] ?? 0) + Number(amount.value()) };
    }
  }
  const reserved = new Map([...parseResourceList(nodeAllocatableReservation)].filter(([type]) => isMemoryType(type)));
  for (const type of new Set([...totals.keys(), ...reserved.keys()])) {
    const [total, expected] = [totals.get(type) ?? Quantity.zero, reserved.get(type) ?? Quantity.zero];
    if (total.equals(expected)) continue;
    throw invalid(
      `the total amount "${total}" of type "${type}" is not equal to the value "${expected}" determined by Node Allocatable feature`,
    );
  }
  if (totals.get('memory')?.sign !== 1) throw invalid('[memorymanager] you should specify the system reserved memory');
  return byNode;
}

function invalid(message: string) {
  return invalidOptionText('reservedMemory', message, {
    hint: 'Reserve, over all NUMA nodes, as much as systemReserved, kubeReserved and the hard eviction threshold reserve together.',
  });
}
