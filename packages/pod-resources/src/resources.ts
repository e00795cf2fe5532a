import type { Pod } from '@nodeagent/api';
import { isSidecar, podUid } from '@nodeagent/api/helpers';
import type { podResourcesService, RequestOf, ResponseOf } from '@nodeagent/plugin-api';
import type { PodResourcesProviders } from './providers.js';

type Service = typeof podResourcesService;

/** The resources of one pod. */
export type PodResources = ResponseOf<Service['list']>['podResources'][number];
type AllocatableResources = ResponseOf<Service['getAllocatableResources']>;
type ContainerDevices = AllocatableResources['devices'][number];
/** A request of `Get`. */
export type GetRequest = RequestOf<Service['get']>;

const noTopologyNode = -1;

/** The resources of a pod's sidecars and regular containers. */
export function resourcesOfPod(pod: Pod, { devices, cpus, memory, dynamicResources }: PodResourcesProviders): PodResources {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const podUID = podUid(pod);
  return {
    name: pod.metadata?.name ?? '',
    namespace: pod.metadata?.namespace ?? '',
    containers: [...initContainers.filter(isSidecar), ...containers].map((container) => ({
      name: container.name,
      devices: Object.entries(devices?.devices(podUID, container.name) ?? {}).flatMap(([resource, byNode]) =>
        Object.entries(byNode).flatMap(([node, ids]) => ids.map((id) => deviceOn(resource, id, Number(node)))),
      ),
      cpuIds: Array.from(cpus?.exclusiveCpus(podUID, container.name) ?? [], BigInt),
      memory: (memory?.memory(podUID, container.name) ?? []).map(memoryMessage),
      dynamicResources: dynamicResources?.(pod, container) ?? [],
    })),
  };
}

/** What the node's containers can get. */
export function allocatableResources({ devices, cpus, memory }: PodResourcesProviders): AllocatableResources {
  return {
    devices: Object.entries(devices?.allocatableDevices() ?? {}).flatMap(([resource, list]) =>
      list.flatMap(({ id, numaNodes }) => (numaNodes ?? [noTopologyNode]).map((node) => deviceOn(resource, id, node))),
    ),
    cpuIds: Array.from(cpus?.allocatableCpus() ?? [], BigInt),
    memory: (memory?.allocatableMemory() ?? []).map(memoryMessage),
  };
}

/** One entry for each device and NUMA node, as the kubelet lists them. */
function deviceOn(resourceName: string, id: string, node: number): ContainerDevices {
  const device = { resourceName, deviceIds: [id] };
  return node === noTopologyNode ? device : { ...device, topology: topologyOf([node]) };
}

function memoryMessage({ type, size, numaAffinity }: { type: string; size: number; numaAffinity: readonly number[] }) {
  return { memoryType: type, size: BigInt(size), topology: topologyOf(numaAffinity) };
}

const topologyOf = (nodes: readonly number[]) => ({ nodes: nodes.map((node) => ({ ID: BigInt(node) })) });
