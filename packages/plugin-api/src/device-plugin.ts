import { bool, embedded, int64, message, repeated, string, stringMap, strings } from '@nodeagent/protobuf';
import { service } from './method.js';

const empty = message({});

const options = message({ preStartRequired: bool(1), getPreferredAllocationAvailable: bool(2) });

/** What a container gets with its devices: part of the response to `Allocate`, and of the kubelet's checkpoint. */
export const containerAllocateResponse = message({
  envs: stringMap(1),
  mounts: repeated(2, message({ containerPath: string(1), hostPath: string(2), readOnly: bool(3) })),
  devices: repeated(3, message({ containerPath: string(1), hostPath: string(2), permissions: string(3) })),
  annotations: stringMap(4),
  cdiDevices: repeated(5, message({ name: string(1) })),
});

/** The kubelet's service on `kubelet.sock`, with which device plugins register. */
export const devicePluginRegistrationService = service('v1beta1.Registration', {
  register: [message({ version: string(1), endpoint: string(2), resourceName: string(3), options: embedded(4, options) }), empty],
});

/** The service of a device plugin. */
export const devicePluginService = service('v1beta1.DevicePlugin', {
  getDevicePluginOptions: [empty, options],
  listAndWatch: [
    empty,
    message({
      devices: repeated(
        1,
        message({ ID: string(1), health: string(2), topology: embedded(3, message({ nodes: repeated(1, message({ ID: int64(1) })) })) }),
      ),
    }),
    'stream',
  ],
  getPreferredAllocation: [
    message({
      containerRequests: repeated(
        1,
        message({ availableDeviceIDs: strings(1), mustIncludeDeviceIDs: strings(2), allocationSize: int64(3) }),
      ),
    }),
    message({ containerResponses: repeated(1, message({ deviceIDs: strings(1) })) }),
  ],
  allocate: [
    message({ containerRequests: repeated(1, message({ devicesIds: strings(1) })) }),
    message({ containerResponses: repeated(1, containerAllocateResponse) }),
  ],
  preStartContainer: [message({ devicesIds: strings(1) }), empty],
});
