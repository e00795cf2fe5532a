import {
  type CheckpointFile,
  type Clock,
  invalidOption,
  invalidOptionText,
  type Logger,
  type MachineTopology,
  type Metrics,
  noMetrics,
  type Pod,
  type PodStatus,
  type ResourceList,
  requirePositive,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { CpuSet, Quantity } from '@nodeagent/api/helpers';
import type { CpuManagerPolicyOptions, PolicyOptionGates } from './policy-options.js';
import { createStaticPolicy } from './static-policy.js';

/** A container that ran when the agent started. */
export interface RunningContainer {
  containerId: string;
  podUID: string;
  containerName: string;
}

/** Options of `createCpuManager`. Names and values of settings are those of KubeletConfiguration. */
export interface CpuManagerOptions {
  /** `none`: no container gets exclusive CPUs. Default `none`. */
  policy?: 'none' | 'static';
  /** Options of the static policy. Default: none. */
  policyOptions?: CpuManagerPolicyOptions;
  /** Default: the kubelet's defaults. */
  featureGates?: PolicyOptionGates;
  /** Policy of the topology manager, with which `align-by-socket` may be incompatible. Default: none. */
  topologyManagerPolicy?: string;
  /** The CPUs of the machine. */
  topology: Pick<MachineTopology, 'cpus'>;
  /** What is reserved for the system and the agent. The static policy requires `cpu`, which is rounded up to whole CPUs. Default: none. */
  nodeAllocatableReservation?: ResourceList;
  /** The reserved CPUs in Linux list notation, as many as are reserved. Default: chosen by topology. */
  reservedSystemCPUs?: string;
  /** Path of the state file, for errors; the kubelet's is `cpu_manager_state` in its root directory. */
  stateFile: string;
  /** Keeps the content of the state file: `createTextFile(stateFile)` of `@nodeagent/api/files`. */
  store: Pick<CheckpointFile<string>, 'load' | 'save'>;
  /** Interval between reconciliations in milliseconds: `cpuManagerReconcilePeriod`. Default 10000. */
  reconcilePeriodMs?: number;
  /** The active pods of the node. */
  activePods(): readonly Pod[];
  /** Whether containers of a pod that is not active may still run: it keeps its CPUs. Default: never. */
  couldHaveRunningContainers?(podUID: string): boolean;
  /** The status of a pod with the ids of its containers; undefined if there is none. */
  podStatus(podUID: string): PodStatus | undefined;
  /** Sets the CPUs of a running container: `UpdateContainerResources` of CRI with `linux.cpusetCpus` alone. */
  updateContainerCpuset(containerId: string, cpus: CpuSet): Promise<void>;
  /** Whether all pod sources have reported; until then no CPUs are taken back. Default: always true. */
  sourcesReady?(): boolean;
  /** The containers that ran when the agent started; needed only for a state file of a kubelet before v1.20. Default: none. */
  runningContainers?(): readonly RunningContainer[] | Promise<readonly RunningContainer[]>;
  clock?: Clock;
  logger?: Logger;
  metrics?: Metrics;
}

/** The options with their defaults. Throws `InvalidOption`, with the kubelet's text where it has one. */
export function resolveOptions(options: CpuManagerOptions) {
  const { policy = 'none', topology, stateFile, store, activePods, podStatus, updateContainerCpuset } = options;
  if (policy !== 'none' && policy !== 'static') throw invalidOptionText('policy', `unknown policy: "${policy}"`);
  if (topology === undefined) throw invalidOption('topology', "the machine's topology", topology);
  if (typeof stateFile !== 'string' || stateFile === '') throw invalidOption('stateFile', 'a path', stateFile);
  if (store === undefined) throw invalidOption('store', 'createTextFile(stateFile) of @nodeagent/api/files, or another store', store);
  for (const [name, value] of Object.entries({ activePods, podStatus, updateContainerCpuset })) {
    if (typeof value !== 'function') throw invalidOption(name, 'a function', value);
  }
  requirePositive('reconcilePeriodMs', options.reconcilePeriodMs);
  return {
    ...options,
    policy: policy === 'static' ? staticPolicyOf(options) : undefined,
    reconcilePeriodMs: options.reconcilePeriodMs ?? 10_000,
    sourcesReady: options.sourcesReady ?? (() => true),
    couldHaveRunningContainers: options.couldHaveRunningContainers ?? (() => false),
    runningContainers: options.runningContainers ?? (() => []),
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    metrics: options.metrics ?? noMetrics,
  };
}

/** Options with all defaults. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;

function staticPolicyOf({ nodeAllocatableReservation, reservedSystemCPUs = '', ...options }: CpuManagerOptions) {
  const reserved = nodeAllocatableReservation?.cpu;
  if (reserved === undefined) {
    throw invalidOptionText('nodeAllocatableReservation', '[cpumanager] unable to determine reserved CPU resources for static policy');
  }
  return createStaticPolicy({
    ...options,
    numReservedCPUs: Math.ceil(Number(Quantity.parse(reserved).milliValue()) / 1000),
    reservedSystemCPUs: CpuSet.parse(reservedSystemCPUs),
  });
}
