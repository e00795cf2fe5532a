import { embedded, int64, int64s, message, repeated, string, strings } from '@nodeagent/protobuf';
import { service } from './method.js';

const empty = message({});

const topologyInfo = message({ nodes: repeated(1, message({ ID: int64(1) })) });
const containerDevices = message({ resourceName: string(1), deviceIds: strings(2), topology: embedded(3, topologyInfo) });
const containerMemory = message({ memoryType: string(1), size: int64(2), topology: embedded(3, topologyInfo) });

const claimResource = message({
  cdiDevices: repeated(1, message({ name: string(1) })),
  driverName: string(2),
  poolName: string(3),
  deviceName: string(4),
  shareId: string(5),
});

const containerResources = message({
  name: string(1),
  devices: repeated(2, containerDevices),
  cpuIds: int64s(3),
  memory: repeated(4, containerMemory),
  dynamicResources: repeated(5, message({ claimName: string(2), claimNamespace: string(3), claimResources: repeated(4, claimResource) })),
});

const podResources = message({ name: string(1), namespace: string(2), containers: repeated(3, containerResources) });

/** The pod-resources API of a kubelet: what containers have, and what they can get. */
export const podResourcesService = service('v1.PodResourcesLister', {
  list: [empty, message({ podResources: repeated(1, podResources) })],
  getAllocatableResources: [
    empty,
    message({ devices: repeated(1, containerDevices), cpuIds: int64s(2), memory: repeated(3, containerMemory) }),
  ],
  get: [message({ podName: string(1), podNamespace: string(2) }), message({ podResources: embedded(1, podResources) })],
});

/** The first version of the pod-resources API: devices only. */
export const podResourcesAlphaService = service('v1alpha1.PodResourcesLister', {
  list: [
    empty,
    message({
      podResources: repeated(
        1,
        message({
          name: string(1),
          namespace: string(2),
          containers: repeated(
            3,
            message({ name: string(1), devices: repeated(2, message({ resourceName: string(1), deviceIds: strings(2) })) }),
          ),
        }),
      ),
    }),
  ],
});
