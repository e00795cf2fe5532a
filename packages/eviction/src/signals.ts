/** What thresholds are about: Kubernetes documentation, "Node-pressure Eviction: Eviction signals". */
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

/** What is short when a threshold is met; messages name it so. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

/** A file system of the node: of the agent's root folder, of images, of containers' writable layers. */
export type NodeFileSystem = 'nodefs' | 'imagefs' | 'containerfs';

/** What a signal means. */
export interface SignalMeaning {
  condition: PressureCondition;
  resource: StarvedResource;
  /** Absent for memory and processes. */
  fileSystem?: NodeFileSystem;
}

const bytesOf = (fileSystem: NodeFileSystem): SignalMeaning => ({
  condition: 'DiskPressure',
  resource: 'ephemeral-storage',
  fileSystem,
});
const inodesOf = (fileSystem: NodeFileSystem): SignalMeaning => ({ condition: 'DiskPressure', resource: 'inodes', fileSystem });

/** Every signal with its meaning. */
export const signalMeanings: Readonly<Record<EvictionSignal, SignalMeaning>> = {
  'memory.available': { condition: 'MemoryPressure', resource: 'memory' },
  'allocatableMemory.available': { condition: 'MemoryPressure', resource: 'memory' },
  'nodefs.available': bytesOf('nodefs'),
  'nodefs.inodesFree': inodesOf('nodefs'),
  'imagefs.available': bytesOf('imagefs'),
  'imagefs.inodesFree': inodesOf('imagefs'),
  'containerfs.available': bytesOf('containerfs'),
  'containerfs.inodesFree': inodesOf('containerfs'),
  'pid.available': { condition: 'PIDPressure', resource: 'pids' },
};

/** Whether there is a signal of that name. */
export function isEvictionSignal(name: string): name is EvictionSignal {
  return Object.hasOwn(signalMeanings, name);
}
