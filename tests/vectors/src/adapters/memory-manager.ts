import { errorMessage, type NumaNodeInfo, type Pod, type TopologyHints } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import {
  allocateMemory,
  blocksOf,
  initialMachineMemory,
  type MachineMemory,
  type MemoryState,
  memoryHints,
  podMemoryHints,
  releaseMemory,
} from '@nodeagent/memory-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

const mebi = 2 ** 20;

interface RecordedNode {
  id: number;
  memoryMi: number;
  reservedMi: number;
  hugepages?: { pageSizeKi: number; numPages: number }[];
}

const nodeOf = ({ id, memoryMi, hugepages = [] }: RecordedNode): NumaNodeInfo => ({
  id,
  memoryBytes: memoryMi * mebi,
  hugePages: hugepages.map(({ pageSizeKi, numPages }) => ({ pageSizeKiB: pageSizeKi, pages: numPages })),
  distances: [],
});

const containersOf = ({ spec }: Pod) => [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];

const shownMachine = (machine: MachineMemory) =>
  Object.fromEntries(
    Object.entries(machine).map(([id, { numberOfAssignments, cells, memoryMap }]) => {
      const memory = Object.entries(memoryMap).map(([type, { free, reserved }]) => [
        type,
        { freeMi: free / mebi, reservedMi: reserved / mebi },
      ]);
      return [id, { assignments: numberOfAssignments, cells, memory: Object.fromEntries(memory) }];
    }),
  );

const shownBlocks = (state: MemoryState, pod: Pod) =>
  Object.fromEntries(
    containersOf(pod).map(({ name }) => {
      const blocks = blocksOf(state, podUid(pod), name)?.map(({ numaAffinity, type, size }) => ({
        numa: numaAffinity,
        type,
        sizeMi: size / mebi,
      }));
      return [name, blocks?.sort((a, b) => (a.type < b.type ? -1 : 1))];
    }),
  );

const shownHints = (hints: TopologyHints) =>
  Object.fromEntries(
    Object.entries(hints).map(([type, list]) => [type, list?.map(({ numaNodes, preferred }) => ({ numa: numaNodes, preferred }))]),
  );

export const memoryManagerAdapters: Adapter[] = [
  defineAdapter('memory-static', ({ nodes, steps }) => {
    const reserved = Object.fromEntries(nodes.map(({ id, reservedMi }: RecordedNode) => [id, { memory: reservedMi * mebi }]));
    let state: MemoryState = { machineState: initialMachineMemory(nodes.map(nodeOf), reserved), entries: {} };
    const initialMachineState = shownMachine(state.machineState);

    function allocatePod(pod: Pod, hints: Record<string, { numa: number[] | null; preferred: boolean }>) {
      const results: object[] = [];
      for (const container of containersOf(pod)) {
        const { numa, preferred } = hints[container.name] ?? { numa: null, preferred: false };
        try {
          state = allocateMemory(state, pod, container, { numaNodes: numa, preferred });
        } catch (error) {
          results.push({ container: container.name, blocks: shownBlocks(state, pod), error: errorMessage(error) });
          break;
        }
        results.push({ container: container.name, blocks: shownBlocks(state, pod) });
      }
      return { machineState: shownMachine(state.machineState), results };
    }

    // biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
    const shownSteps = steps.map((step: any) => {
      if (step.op === 'allocatePod') return allocatePod(step.pod, step.hints ?? {});
      if (step.op === 'removePod') {
        for (const name of Object.keys(state.entries[step.podUID] ?? {})) state = releaseMemory(state, step.podUID, name);
        return { machineState: shownMachine(state.machineState) };
      }
      const container = containersOf(step.pod).find(({ name }) => name === step.container) ?? { name: step.container };
      return { container: shownHints(memoryHints(state, step.pod, container)), pod: shownHints(podMemoryHints(state, step.pod)) };
    });
    return { initialMachineState, steps: shownSteps };
  }),
];
