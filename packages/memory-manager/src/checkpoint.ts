import { dumpGoMap, dumpGoSlice, dumpGoStruct, fnv1a32, isObject } from '@nodeagent/api/helpers';
import type { MachineMemory, MemoryAssignments, MemoryBlock, MemoryState, MemoryTable, NumaNodeMemory } from './memory-state.js';
import type { MemoryManagerPolicy } from './options.js';

/** What the state file contains. */
export type MemoryCheckpoint = Pick<MemoryState, 'machineState' | 'entries'> & { policyName: MemoryManagerPolicy | string };

/** Encodes the file `memory_manager_state` as a kubelet does: JSON with a checksum. */
export function encodeMemoryCheckpoint({ policyName, machineState, entries }: MemoryCheckpoint): string {
  const assigned = Object.keys(entries).length > 0 ? { entries } : {};
  return JSON.stringify({ policyName, machineState, ...assigned, checksum: checksum({ policyName, machineState, entries }) });
}

/** Decodes a file of {@link encodeMemoryCheckpoint} or a kubelet. Throws an Error that describes the problem. */
export function decodeMemoryCheckpoint(text: string): MemoryCheckpoint {
  const file: unknown = JSON.parse(text);
  if (!isObject(file) || typeof file.policyName !== 'string') throw new Error('"policyName" is not a string');
  const checkpoint: MemoryCheckpoint = {
    policyName: file.policyName,
    machineState: mapOf(file.machineState, 'machineState', nodeOf) as MachineMemory,
    entries: mapOf(file.entries, 'entries', (pod, at) => mapOf(pod, at, blocksAt)) as MemoryAssignments,
  };
  if (file.checksum !== 0 && file.checksum !== checksum(checkpoint))
    throw new Error('checkpoint is corrupted: the checksum does not match');
  return checkpoint;
}

/** The kubelet's checksum covers a dump of its Go struct, with the checksum 0. */
function checksum({ policyName, machineState, entries }: MemoryCheckpoint): number {
  const dump = dumpGoStruct({
    PolicyName: ['string', policyName],
    MachineState: ['state.NUMANodeMap', dumpGoMap('int', machineState, (node) => `<*>${dumpNode(node)}`)],
    Entries: [
      'state.ContainerMemoryAssignments',
      dumpGoMap('string', entries, (pod) => dumpGoMap('string', pod, (blocks) => dumpGoSlice(blocks.map(dumpBlock)))),
    ],
    Checksum: ['checksum.Checksum', 0],
  });
  return fnv1a32(`(*state.MemoryManagerCheckpoint)${dump}`);
}

const dumpNode = ({ numberOfAssignments, memoryMap, cells }: NumaNodeMemory) =>
  dumpGoStruct({
    NumberOfAssignments: ['int', numberOfAssignments],
    MemoryMap: ['map[v1.ResourceName]*state.MemoryTable', dumpGoMap('string', memoryMap, (table) => `<*>${dumpTable(table)}`)],
    Cells: ['[]int', dumpGoSlice(cells)],
  });

const dumpTable = ({ total, systemReserved, allocatable, reserved, free }: MemoryTable) =>
  dumpGoStruct({
    TotalMemSize: ['uint64', total],
    SystemReserved: ['uint64', systemReserved],
    Allocatable: ['uint64', allocatable],
    Reserved: ['uint64', reserved],
    Free: ['uint64', free],
  });

const dumpBlock = ({ numaAffinity, type, size }: MemoryBlock) =>
  dumpGoStruct({ NUMAAffinity: ['[]int', dumpGoSlice(numaAffinity)], Type: ['v1.ResourceName', type], Size: ['uint64', size] });

function nodeOf(value: unknown, at: string): NumaNodeMemory {
  if (!isObject(value)) throw new Error(`${at} is not an object`);
  return {
    numberOfAssignments: numberOf(value.numberOfAssignments, `${at}.numberOfAssignments`),
    memoryMap: mapOf(value.memoryMap, `${at}.memoryMap`, tableOf),
    cells: listOf(value.cells, `${at}.cells`, numberOf),
  };
}

function tableOf(value: unknown, at: string): MemoryTable {
  if (!isObject(value)) throw new Error(`${at} is not an object`);
  const field = (name: keyof MemoryTable) => numberOf(value[name], `${at}.${name}`);
  return {
    total: field('total'),
    systemReserved: field('systemReserved'),
    allocatable: field('allocatable'),
    reserved: field('reserved'),
    free: field('free'),
  };
}

const blocksAt = (value: unknown, at: string): MemoryBlock[] => listOf(value, at, blockOf);

function blockOf(value: unknown, at: string): MemoryBlock {
  if (!isObject(value) || typeof value.type !== 'string') throw new Error(`${at}.type is not a string`);
  return {
    numaAffinity: listOf(value.numaAffinity, `${at}.numaAffinity`, numberOf),
    type: value.type,
    size: numberOf(value.size, `${at}.size`),
  };
}

function mapOf<T>(value: unknown, at: string, read: (value: unknown, at: string) => T): Record<string, T> {
  if (!isObject(value ?? {})) throw new Error(`${at} is not an object`);
  return Object.fromEntries(Object.entries(value ?? {}).map(([key, each]) => [key, read(each, `${at}.${key}`)]));
}

function listOf<T>(value: unknown, at: string, read: (value: unknown, at: string) => T): T[] {
  if (!Array.isArray(value ?? [])) throw new Error(`${at} is not a list`);
  return ((value ?? []) as unknown[]).map((each, index) => read(each, `${at}[${index}]`));
}

function numberOf(value: unknown, at: string): number {
  if (!Number.isSafeInteger(value)) throw new Error(`${at} is not a whole number`);
  return value as number;
}
