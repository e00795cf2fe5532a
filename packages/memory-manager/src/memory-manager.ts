import {
  type Container,
  errorMessage,
  invalidOption,
  invalidOptionText,
  type Logger,
  NodeAgentError,
  noMetrics,
  type Pod,
  type Startable,
  silentLogger,
  type TopologyHint,
  type TopologyHintProvider,
  type TopologyHints,
} from '@nodeagent/api';
import { createCheckpointSaver, podUid } from '@nodeagent/api/helpers';
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

/** Creates a {@link MemoryManager}. Throws `InvalidOption`, with the kubelet's text where it has one. */
export function createMemoryManager(options: MemoryManagerOptions): MemoryManager {
  const { policy = 'None', stateFile, store, activePods } = options;
  if (policy !== 'None' && policy !== 'Static') throw invalidOptionText('policy', `unknown policy: "${policy}"`);
  if (typeof stateFile !== 'string' || stateFile === '') throw invalidOption('stateFile', 'a path', stateFile);
  if (store === undefined) throw invalidOption('store', 'createTextFile(stateFile) of @nodeagent/api/files, or another store', store);
  if (typeof activePods !== 'function') throw invalidOption('activePods', 'a function', activePods);
  return new Manager(options);
}

class Manager implements MemoryManager {
  readonly #options: MemoryManagerOptions;
  readonly #policy: MemoryManagerPolicy;
  readonly #isStatic: boolean;
  readonly #logger: Logger;
  readonly #metrics;
  readonly #store;
  readonly #saver;
  readonly #initial: MachineMemory;
  #state: MemoryState;

  constructor(options: MemoryManagerOptions) {
    const { policy = 'None', topology, stateFile, logger = silentLogger } = options;
    this.#options = options;
    this.#policy = policy;
    this.#isStatic = policy === 'Static';
    this.#logger = logger;
    this.#initial = this.#isStatic ? initialMachineMemory(topology.numaNodes, reservedOf(options)) : {};
    this.#metrics = createMemoryMetrics(options.metrics ?? noMetrics);
    this.#state = { machineState: this.#initial, entries: {} };
    this.#store = options.store;
    this.#saver = createCheckpointSaver(
      this.#store,
      () => encodeMemoryCheckpoint({ policyName: policy, ...this.#state }),
      (error) => logger.error({ err: error, path: stateFile }, 'failed to store state to checkpoint'),
    );
  }

  async start(): Promise<void> {
    try {
      this.#state = await this.#load();
    } catch (cause) {
      const { stateFile } = this.#options;
      const message = `could not restore state from checkpoint: ${errorMessage(cause)}`;
      throw new NodeAgentError(memoryManagerErrorCodes.invalidState, message, {
        cause,
        hint: `Drain the node, remove ${stateFile} and restart the agent.`,
        details: { path: stateFile },
      });
    }
    this.#saver.save();
    await this.#saver.saved();
  }

  stop(): Promise<void> {
    return this.#saver.saved();
  }

  getTopologyHints(pod: Pod, container: Container): TopologyHints {
    this.#removeStaleState(pod);
    return this.#isStatic ? memoryHints(this.#state, pod, container) : {};
  }

  getPodTopologyHints(pod: Pod): TopologyHints {
    this.#removeStaleState(pod);
    return this.#isStatic ? podMemoryHints(this.#state, pod) : {};
  }

  async allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void> {
    this.#removeStaleState(pod);
    if (!this.#isStatic || !isMemoryPinned(pod)) return;
    this.#metrics.pinningRequests.inc();
    try {
      this.#change(allocateMemory(this.#state, pod, container, hint));
    } catch (error) {
      this.#metrics.pinningErrors.inc();
      throw error;
    }
    await this.#saver.saved();
  }

  addContainer(pod: Pod, container: Container): void {
    if (!this.#isStatic) return;
    for (const name of plainInitContainersBefore(pod, container.name)) this.#release(podUid(pod), name);
  }

  memoryNumaNodes(podUID: string, containerName: string): number[] | undefined {
    const nodes = new Set(blocksOf(this.#state, podUID, containerName)?.flatMap(({ numaAffinity }) => numaAffinity));
    return nodes.size === 0 ? undefined : [...nodes].sort((a, b) => a - b);
  }

  memory(podUID: string, containerName: string): MemoryBlock[] {
    return structuredClone(blocksOf(this.#state, podUID, containerName) ?? []);
  }

  allocatableMemory(): MemoryBlock[] {
    return nodesOf(this.#state.machineState).flatMap((id) =>
      Object.entries(this.#state.machineState[id]?.memoryMap ?? {})
        .filter(([, { allocatable }]) => allocatable > 0)
        .map(([type, { allocatable }]) => ({ numaAffinity: [id], type, size: allocatable })),
    );
  }

  explain(): MemoryExplanation {
    return structuredClone({ policy: this.#policy, machineState: this.#state.machineState, entries: this.#state.entries });
  }

  #change(next: MemoryState): void {
    if (next === this.#state) return;
    this.#state = next;
    this.#saver.save();
  }

  #release(podUID: string, containerName: string): void {
    this.#change(releaseMemory(this.#state, podUID, containerName));
  }

  #removeStaleState(admitted: Pod): void {
    const { activePods, sourcesReady = () => true, couldHaveRunningContainers = () => false } = this.#options;
    if (!this.#isStatic || !sourcesReady()) return;
    const active = new Map([...activePods(), admitted].map((pod) => [podUid(pod), pod]));
    for (const [podUID, containers] of Object.entries(this.#state.entries)) {
      if (!active.has(podUID) && couldHaveRunningContainers(podUID)) continue;
      const { initContainers = [], containers: regular = [] } = active.get(podUID)?.spec ?? {};
      const names = new Set([...initContainers, ...regular].map(({ name }) => name));
      for (const name of Object.keys(containers)) {
        if (names.has(name)) continue;
        this.#logger.debug({ podUID, containerName: name }, 'removing the memory of a container that is no longer active');
        this.#release(podUID, name);
      }
    }
  }

  async #load(): Promise<MemoryState> {
    const text = await this.#store.load();
    if (text === undefined) return { machineState: structuredClone(this.#initial), entries: {} };
    const { policyName, machineState, entries } = decodeMemoryCheckpoint(text);
    if (policyName !== this.#policy) {
      throw invalidState(`[memorymanager] configured policy "${this.#policy}" differs from state checkpoint policy "${policyName}"`);
    }
    return this.#isStatic ? validateState({ machineState, entries }, this.#initial) : { machineState, entries };
  }
}

function reservedOf({ topology, reservedMemory = [], nodeAllocatableReservation = {} }: MemoryManagerOptions) {
  return systemReservedMemory(topology.numaNodes, reservedMemory, nodeAllocatableReservation);
}
