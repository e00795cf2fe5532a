import { NodeAgentError } from '@nodeagent/api';
import { memoryManagerErrorCodes } from './errors.js';
import { isSameGroup, sumOf, takeMemory } from './machine-memory.js';
import type { MachineMemory, MemoryState, MemoryTable, NumaNodeMemory } from './memory-state.js';

/**
 * Checks a state that was read from a file against the machine: its assignments, made again on `initial`, must give its machine state. How
 * memory is spread within a group is free. Returns the state; an empty one becomes that of the machine. Throws `InvalidMemoryManagerState`
 * with the kubelet's text.
 */
export function validateState(state: MemoryState, initial: MachineMemory): MemoryState {
  const { machineState, entries } = state;
  if (Object.keys(machineState).length === 0) {
    if (Object.keys(entries).length > 0)
      throw invalidState('[memorymanager] machine state can not be empty when it has memory assignments');
    return { ...state, machineState: structuredClone(initial) };
  }
  const expected = structuredClone(initial);
  for (const [podUID, containers] of Object.entries(entries)) {
    for (const [name, blocks] of Object.entries(containers)) {
      const where = `[memorymanager] (pod: ${podUID}, container: ${name})`;
      for (const block of blocks) {
        const nodes = block.numaAffinity.map((id) => expected[id]);
        if (nodes.includes(undefined)) throw invalidState(`${where} the memory assignment uses the NUMA that does not exist`);
        const hasType = nodes.every((node) => node?.memoryMap[block.type] !== undefined);
        if (!hasType) throw invalidState(`${where} the memory assignment uses memory resource that does not exist`);
        takeMemory(expected, block);
      }
    }
  }
  if (!isSameMachine(machineState, expected))
    throw invalidState('[memorymanager] the expected machine state is different from the real one');
  return state;
}

/** The error of a state that does not fit the policy or the machine. */
export function invalidState(message: string): NodeAgentError {
  return new NodeAgentError(memoryManagerErrorCodes.invalidState, message, { hint: 'Drain the node and remove the state file.' });
}

function isSameMachine(real: MachineMemory, expected: MachineMemory): boolean {
  const ids = Object.keys(real).map(Number);
  if (ids.length !== Object.keys(expected).length) return false;
  return ids.every((id) => {
    const [node, other] = [real[id], expected[id]];
    if (node === undefined || other === undefined) return false;
    return isSameNode(node, other) && Object.keys(node.memoryMap).every((type) => hasSameSums(real, expected, node.cells, type));
  });
}

function isSameNode(node: NumaNodeMemory, other: NumaNodeMemory): boolean {
  if (node.numberOfAssignments !== other.numberOfAssignments || !isSameGroup(node.cells, other.cells)) return false;
  const types = Object.entries(node.memoryMap);
  return types.length === Object.keys(other.memoryMap).length && types.every(([type, table]) => isSameTable(table, other.memoryMap[type]));
}

const isSameTable = (table: MemoryTable, other: MemoryTable | undefined) =>
  table.total === other?.total && table.systemReserved === other.systemReserved && table.allocatable === other.allocatable;

const hasSameSums = (real: MachineMemory, expected: MachineMemory, cells: readonly number[], type: string) =>
  (['free', 'reserved'] as const).every((field) => sumOf(real, cells, type, field) === sumOf(expected, cells, type, field));
