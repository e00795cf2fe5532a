import {
  type Container,
  checkOptionNames,
  createCheckpointSaver,
  createTextFile,
  errorMessage,
  invalidOption,
  invalidOptionText,
  NodeAgentError,
  noMetrics,
  type OptionNames,
  type Pod,
  podUid,
  type Startable,
  silentLogger,
  type TopologyHint,
  type TopologyHintProvider,
} from '@nodeagent/api';
import { allocateMemory, releaseMemory } from './allocate-memory.js';
import { decodeMemoryCheckpoint, encodeMemoryCheckpoint } from './checkpoint.js';
import { memoryManagerErrorCodes } from './errors.js';
import { initialMachineMemory, nodesOf } from './machine-memory.js';
import { memoryHints, podMemoryHints } from './memory-hints.js';
import { isMemoryPinned } from './memory-requests.js';
import { blocksOf, type MachineMemory, type MemoryAssignments, type MemoryBlock, type MemoryState } from './memory-state.js';
import { createMemoryMetrics } from './metrics.js';
import type { MemoryManagerOptions, MemoryManagerPolicy } from './options.js';
import { systemReservedMemory } from './reserved-memory.js';
import { plainInitContainersBefore } from './reusable-memory.js';
import { invalidState, validateState } from './validate-state.js';

/** What the NUMA nodes have, and which containers have it. Plain JSON, in bytes. */
export interface MemoryExplanation {
  policy: MemoryManagerPolicy;
  /** The memory of each NUMA node. Empty with the policy `None`. */
  machineState: MachineMemory;
  /** The memory of each container, by the pod's UID. */
  entries: MemoryAssignments;
}

/** Assigns the memory of NUMA nodes to containers of `Guaranteed` pods. Calls before `start` has resolved are invalid. */
export interface MemoryManager extends TopologyHintProvider, Startable {
  /**
   * Reads the state file and checks it against the machine. Rejects with `InvalidMemoryManagerState` if the file is corrupt, or was written
   * with another policy or for another machine; the file stays as it is.
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Records that a container was created: the memory of init containers that ran before it is released. */
  addContainer(pod: Pod, container: Container): void;
  /** The NUMA nodes of a container's memory, ascending, for `cpuset.mems`; undefined if it has no assigned memory. */
  memoryNumaNodes(podUID: string, containerName: string): number[] | undefined;
  /** The blocks of a container. Empty if it has no assigned memory. */
  memory(podUID: string, containerName: string): MemoryBlock[];
  /** What containers can get on this machine: one block for each NUMA node and type. Empty with the policy `None`. */
  allocatableMemory(): MemoryBlock[];
  explain(): MemoryExplanation;
}

const optionNames: OptionNames<MemoryManagerOptions> = {
  policy: true,
  topology: true,
  reservedMemory: true,
  nodeAllocatableReservation: true,
  stateFile: true,
  store: true,
  activePods: true,
  couldHaveRunningContainers: true,
  sourcesReady: true,
  logger: true,
  metrics: true,
};

/** Creates a {@link MemoryManager}. Throws `InvalidOption`, with the kubelet's text where it has one. */
export function createMemoryManager(options: MemoryManagerOptions): MemoryManager {
  checkOptionNames('createMemoryManager', options, optionNames);
  const { policy = 'None', topology, stateFile, activePods, sourcesReady = () => true, logger = silentLogger } = options;
  const { couldHaveRunningContainers = () => false } = options;
  if (policy !== 'None' && policy !== 'Static') throw invalidOptionText('policy', `unknown policy: "${policy}"`);
  if (typeof stateFile !== 'string' || stateFile === '') throw invalidOption('stateFile', 'a path', stateFile);
  if (typeof activePods !== 'function') throw invalidOption('activePods', 'a function', activePods);
  const isStatic = policy === 'Static';
  const initial = isStatic ? initialMachineMemory(topology.numaNodes, reservedOf(options)) : {};
  const metrics = createMemoryMetrics(options.metrics ?? noMetrics);

  let state: MemoryState = { machineState: initial, entries: {} };
  const { store = createTextFile(stateFile) } = options;
  const saver = createCheckpointSaver(
    store,
    () => encodeMemoryCheckpoint({ policyName: policy, ...state }),
    (error) => logger.error({ err: error, path: stateFile }, 'failed to store state to checkpoint'),
  );

  function change(next: MemoryState): void {
    if (next === state) return;
    state = next;
    saver.save();
  }

  const release = (podUID: string, containerName: string) => change(releaseMemory(state, podUID, containerName));

  function removeStaleState(admitted: Pod): void {
    if (!isStatic || !sourcesReady()) return;
    const active = new Map([...activePods(), admitted].map((pod) => [podUid(pod), pod]));
    for (const [podUID, containers] of Object.entries(state.entries)) {
      if (!active.has(podUID) && couldHaveRunningContainers(podUID)) continue;
      const { initContainers = [], containers: regular = [] } = active.get(podUID)?.spec ?? {};
      const names = new Set([...initContainers, ...regular].map(({ name }) => name));
      for (const name of Object.keys(containers)) {
        if (names.has(name)) continue;
        logger.debug({ podUID, containerName: name }, 'removing the memory of a container that is no longer active');
        release(podUID, name);
      }
    }
  }

  async function load(): Promise<MemoryState> {
    const text = await store.load();
    if (text === undefined) return { machineState: structuredClone(initial), entries: {} };
    const { policyName, machineState, entries } = decodeMemoryCheckpoint(text);
    if (policyName !== policy) {
      throw invalidState(`[memorymanager] configured policy "${policy}" differs from state checkpoint policy "${policyName}"`);
    }
    return isStatic ? validateState({ machineState, entries }, initial) : { machineState, entries };
  }

  return {
    async start() {
      try {
        state = await load();
      } catch (cause) {
        const message = `could not restore state from checkpoint: ${errorMessage(cause)}`;
        throw new NodeAgentError(memoryManagerErrorCodes.invalidState, message, {
          cause,
          hint: `Drain the node, remove ${stateFile} and restart the agent.`,
          details: { path: stateFile },
        });
      }
      saver.save();
      await saver.saved();
    },
    stop: () => saver.saved(),
    getTopologyHints(pod, container) {
      removeStaleState(pod);
      return isStatic ? memoryHints(state, pod, container) : {};
    },
    getPodTopologyHints(pod) {
      removeStaleState(pod);
      return isStatic ? podMemoryHints(state, pod) : {};
    },
    async allocate(pod: Pod, container: Container, hint: TopologyHint) {
      removeStaleState(pod);
      if (!isStatic || !isMemoryPinned(pod)) return;
      metrics.pinningRequests.inc();
      try {
        change(allocateMemory(state, pod, container, hint));
      } catch (error) {
        metrics.pinningErrors.inc();
        throw error;
      }
      await saver.saved();
    },
    addContainer(pod, container) {
      if (!isStatic) return;
      for (const name of plainInitContainersBefore(pod, container.name)) release(podUid(pod), name);
    },
    memoryNumaNodes(podUID, containerName) {
      const nodes = new Set(blocksOf(state, podUID, containerName)?.flatMap(({ numaAffinity }) => numaAffinity));
      return nodes.size === 0 ? undefined : [...nodes].sort((a, b) => a - b);
    },
    memory: (podUID, containerName) => structuredClone(blocksOf(state, podUID, containerName) ?? []),
    allocatableMemory: () =>
      nodesOf(state.machineState).flatMap((id) =>
        Object.entries(state.machineState[id]?.memoryMap ?? {})
          .filter(([, { allocatable }]) => allocatable > 0)
          .map(([type, { allocatable }]) => ({ numaAffinity: [id], type, size: allocatable })),
      ),
    explain: () => structuredClone({ policy, machineState: state.machineState, entries: state.entries }),
  };
}

function reservedOf({ topology, reservedMemory = [], nodeAllocatableReservation = {} }: MemoryManagerOptions) {
  return systemReservedMemory(topology.numaNodes, reservedMemory, nodeAllocatableReservation);
}
