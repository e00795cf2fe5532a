import type { CpuGroup, CpuTopology } from './cpu-topology.js';

/** Kinds of groups, from the outermost to the innermost. */
export type GroupOrder = readonly [CpuGroup, ...CpuGroup[]];

/** NUMA nodes and sockets; the kind of which the machine has fewer groups is the outer one. */
export function outerGroups(topology: CpuTopology): readonly [CpuGroup, CpuGroup] {
  return topology.groups('socket').length >= topology.groups('numaNode').length ? ['numaNode', 'socket'] : ['socket', 'numaNode'];
}

/** The order in which NUMA nodes are visited. */
export function numaNodeOrder(topology: CpuTopology): GroupOrder {
  return outerGroups(topology)[0] === 'numaNode' ? ['numaNode'] : ['socket', 'numaNode'];
}

/** The order in which sockets are visited. */
export function socketOrder(topology: CpuTopology): GroupOrder {
  return outerGroups(topology)[0] === 'socket' ? ['socket'] : ['numaNode', 'socket'];
}
