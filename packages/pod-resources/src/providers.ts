import type { Container, Pod } from '@nodeagent/api';
import type { podResourcesService, ResponseOf } from '@nodeagent/plugin-api';

/** Device ids by NUMA node; -1 for devices without NUMA nodes. */
type DevicesByNode = Readonly<Record<number, readonly string[]>>;

/** The devices of containers: a part of the device manager. */
export interface DevicesProvider {
  /** The devices of a container by resource. */
  devices(podUID: string, containerName: string): Readonly<Record<string, DevicesByNode>>;
  /** The healthy devices by resource. */
  allocatableDevices(): Readonly<Record<string, readonly { id: string; numaNodes: readonly number[] | null }[]>>;
}

/** The CPUs of containers: a part of the CPU manager. */
export interface CpusProvider {
  /** The exclusive CPUs of a container. */
  exclusiveCpus(podUID: string, containerName: string): Iterable<number>;
  /** The CPUs that containers can get. */
  allocatableCpus(): Iterable<number>;
}

/** Memory of one type on some NUMA nodes. */
interface Block {
  numaAffinity: readonly number[];
  type: string;
  /** In bytes. */
  size: number;
}

/** The memory of containers: a part of the memory manager. */
export interface MemoryProvider {
  memory(podUID: string, containerName: string): readonly Block[];
  /** What containers can get. */
  allocatableMemory(): readonly Block[];
}

type ListedContainer = ResponseOf<(typeof podResourcesService)['list']>['podResources'][number]['containers'][number];

/** A resource claim of a container. */
export type DynamicResource = ListedContainer['dynamicResources'][number];

/** Where the resources of containers come from. An absent provider has none. */
export interface PodResourcesProviders {
  devices?: DevicesProvider;
  cpus?: CpusProvider;
  memory?: MemoryProvider;
  /** The resource claims of a container. Default: none. */
  dynamicResources?(pod: Pod, container: Container): DynamicResource[];
}
