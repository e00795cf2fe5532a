import type { NumaNodeInfo } from '@nodeagent/api';
import { CpuSet, isHugePages, Quantity } from '@nodeagent/api/helpers';
import type { MachineMemory, MemoryBlock, MemoryTable } from './memory-state.js';

/** Memory that is reserved for the system: bytes by NUMA node and type. */
export type SystemReservedMemory = Readonly<Record<number, Readonly<Record<string, number>>>>;

/** The state of a machine whose memory is not assigned. */
export function initialMachineMemory(numaNodes: readonly NumaNodeInfo[], systemReserved: SystemReservedMemory): MachineMemory {
  return Object.fromEntries(
    numaNodes.map(({ id, memoryBytes, hugePages }) => {
      const reserved = (type: string) => systemReserved[id]?.[type] ?? 0;
      const pages = hugePages.map(({ pageSizeKiB, pages }) => [hugePagesName(pageSizeKiB), pageSizeKiB * 1024 * pages] as const);
      const inHugePages = pages.reduce((sum, [, bytes]) => sum + bytes, 0);
      const memoryMap = Object.fromEntries([
        ...pages.map(([type, bytes]) => [type, unassigned(bytes, reserved(type), bytes - reserved(type))] as const),
        ['memory', unassigned(memoryBytes, reserved('memory'), memoryBytes - reserved('memory') - inHugePages)] as const,
      ]);
      return [id, { numberOfAssignments: 0, memoryMap, cells: [id] }];
    }),
  );
}

/** Whether the memory manager assigns the resource: memory and huge pages. */
export function isMemoryType(resource: string): boolean {
  return resource === 'memory' || isHugePages(resource);
}

/** Takes memory from the nodes in ascending order, as far as it is free, and makes them a group. Changes `machine`. */
export function takeMemory(machine: MachineMemory, { numaAffinity, type, size }: MemoryBlock): void {
  let missing = size;
  for (const id of numaAffinity) {
    const node = machine[id];
    if (node === undefined) continue;
    node.numberOfAssignments++;
    node.cells = [...numaAffinity];
    const table = node.memoryMap[type];
    if (table === undefined) continue;
    const taken = Math.min(Math.max(table.free, 0), missing);
    table.reserved += taken;
    table.free -= taken;
    missing -= taken;
  }
}

/** Gives a block back, to the nodes in ascending order. A node without assignments leaves its group. Changes `machine`. */
export function giveBackMemory(machine: MachineMemory, { numaAffinity, type, size }: MemoryBlock): void {
  let rest = size;
  for (const id of numaAffinity) {
    const node = machine[id];
    if (node === undefined) continue;
    node.numberOfAssignments--;
    if (node.numberOfAssignments === 0) node.cells = [id];
    const table = node.memoryMap[type];
    if (table === undefined) continue;
    const released = Math.min(table.reserved, rest);
    table.reserved -= released;
    table.free += released;
    rest -= released;
  }
}

/** The memory of one type on some nodes together. */
export function sumOf(machine: MachineMemory, nodes: readonly number[], type: string, field: keyof MemoryTable): number {
  return nodes.reduce((sum, id) => sum + (machine[id]?.memoryMap[type]?.[field] ?? 0), 0);
}

/** The numbers of the nodes, ascending. */
export function nodesOf(machine: MachineMemory): number[] {
  return Object.keys(machine)
    .map(Number)
    .sort((a, b) => a - b);
}

/** Whether two groups have the same nodes. */
export function isSameGroup(one: readonly number[], other: readonly number[]): boolean {
  return CpuSet.of(one).equals(CpuSet.of(other));
}

/** `hugepages-2Mi` for pages of 2048 KiB. */
function hugePagesName(pageSizeKiB: number): string {
  return `hugepages-${Quantity.of(pageSizeKiB * 1024, 'BinarySI').canonical()}`;
}

function unassigned(total: number, systemReserved: number, allocatable: number): MemoryTable {
  return { total, systemReserved, allocatable, reserved: 0, free: allocatable };
}
