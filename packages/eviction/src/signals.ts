import type { Pod } from '@nodeagent/api';
import { type FileSystemLayout, fileSystemUse, type NodeFileSystem, type NodeReclaim } from './file-systems.js';
import { bytesAmounts, inodesAmounts, memoryAmounts, type NodeAmounts, podsMemory, processAmounts } from './node-amounts.js';
import { type RankedPod, rankForDisk, rankForMemory, rankForPids, type StatsOf } from './rank.js';
import type { StarvedResource } from './starved-resources.js';
import type { FsStatsInput, NodeStatsInput } from './stats-input.js';

/** An eviction signal: Kubernetes documentation, "Node-pressure Eviction: Eviction signals". */
export type EvictionSignal =
  | 'memory.available'
  | 'allocatableMemory.available'
  | 'nodefs.available'
  | 'nodefs.inodesFree'
  | 'imagefs.available'
  | 'imagefs.inodesFree'
  | 'containerfs.available'
  | 'containerfs.inodesFree'
  | 'pid.available';

/** The conditions of a Node that eviction decides on. */
export type PressureCondition = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

/** A signal's unit: bytes are binary quantities (`1Gi`), counts are decimal ones. */
export type SignalUnit = 'bytes' | 'count';

/** The definition of a signal. */
export interface SignalDefinition {
  /** The name for users, such as `disk`; several signals may share one. */
  displayName: string;
  unit: SignalUnit;
  /** The resource in messages. */
  resource: StarvedResource;
  /** The condition of the Node while a threshold of the signal is met. */
  condition: PressureCondition;
  /** Absent for memory and processes. */
  fileSystem?: NodeFileSystem;
  /** Whether its thresholds are treated before those of other signals. */
  isActedOnFirst: boolean;
  /** The capacity resource from which its hard thresholds reserve their amount. */
  reserves?: 'memory' | 'ephemeral-storage';
  /** The signal that gets the same hard thresholds for the usage of all pods together. */
  allPodsSignal?: EvictionSignal;
  /** Reads the signal from a summary; undefined if the summary has no value. */
  observe(node: NodeStatsInput): NodeAmounts | undefined;
  /** The eviction order of pods while the resource is short. */
  rank(pods: readonly Pod[], statsOf: StatsOf, layout: FileSystemLayout): RankedPod[];
  /** The node-level reclaims of the resource, in order. */
  nodeReclaims(layout: FileSystemLayout): readonly NodeReclaim[];
}

const nothingToReclaim = () => [];

const memory = {
  unit: 'bytes',
  resource: 'memory',
  condition: 'MemoryPressure',
  isActedOnFirst: true,
  rank: rankForMemory,
  nodeReclaims: nothingToReclaim,
} as const;

const fsOf: Readonly<Record<NodeFileSystem, (node: NodeStatsInput) => FsStatsInput | undefined>> = {
  nodefs: ({ fs }) => fs,
  imagefs: ({ runtime }) => runtime?.imageFs,
  containerfs: ({ runtime }) => runtime?.containerFs,
};

const diskSignal = (fileSystem: NodeFileSystem, resource: 'ephemeral-storage' | 'inodes') =>
  ({
    resource,
    condition: 'DiskPressure',
    fileSystem,
    isActedOnFirst: false,
    rank: (pods, statsOf, layout) => rankForDisk(pods, statsOf, { measures: fileSystemUse(layout, fileSystem).measures, resource }),
    nodeReclaims: (layout) => fileSystemUse(layout, fileSystem).reclaim,
  }) satisfies Partial<SignalDefinition>;

const bytesOf = (fileSystem: NodeFileSystem): SignalDefinition => ({
  ...diskSignal(fileSystem, 'ephemeral-storage'),
  displayName: 'disk',
  unit: 'bytes',
  observe: (node) => bytesAmounts(fsOf[fileSystem](node)),
});

const inodesOf = (fileSystem: NodeFileSystem): SignalDefinition => ({
  ...diskSignal(fileSystem, 'inodes'),
  displayName: 'inodes',
  unit: 'count',
  observe: (node) => inodesAmounts(fsOf[fileSystem](node)),
});

/** The table of signals. Every signal needs an entry, which the compiler checks. Observations keep its order. */
export const signalDefinitions: Readonly<Record<EvictionSignal, SignalDefinition>> = {
  'memory.available': {
    ...memory,
    displayName: 'memory',
    reserves: 'memory',
    allPodsSignal: 'allocatableMemory.available',
    observe: (node) => memoryAmounts(node.memory),
  },
  'allocatableMemory.available': {
    ...memory,
    displayName: "pods' memory",
    observe: (node) => memoryAmounts(podsMemory(node)),
  },
  'nodefs.available': { ...bytesOf('nodefs'), reserves: 'ephemeral-storage' },
  'nodefs.inodesFree': inodesOf('nodefs'),
  'imagefs.available': bytesOf('imagefs'),
  'imagefs.inodesFree': inodesOf('imagefs'),
  'containerfs.available': bytesOf('containerfs'),
  'containerfs.inodesFree': inodesOf('containerfs'),
  'pid.available': {
    displayName: 'processes',
    unit: 'count',
    resource: 'pids',
    condition: 'PIDPressure',
    isActedOnFirst: false,
    observe: processAmounts,
    rank: rankForPids,
    nodeReclaims: nothingToReclaim,
  },
};

/** The names of all signals, in the order of the table. */
export const evictionSignals = Object.keys(signalDefinitions) as readonly EvictionSignal[];

/** Whether the name is that of a signal. */
export function isEvictionSignal(name: string): name is EvictionSignal {
  return Object.hasOwn(signalDefinitions, name);
}

/** The eviction order of pods while the signal's resource is short. */
export function rankForSignal(signal: EvictionSignal, layout: FileSystemLayout, pods: readonly Pod[], statsOf: StatsOf): RankedPod[] {
  return signalDefinitions[signal].rank(pods, statsOf, layout);
}

/** The node-level reclaims of the signal's resource, in order; none for memory and processes. */
export function nodeReclaims(layout: FileSystemLayout, signal: EvictionSignal): readonly NodeReclaim[] {
  return signalDefinitions[signal].nodeReclaims(layout);
}
