import { callPlugin, devicePluginService, streamPlugin } from '@nodeagent/plugin-api';
import type { PluginDevice } from './devices.js';
import type { AllocateResponse } from './pod-devices.js';

/** What a plugin supports. */
export interface DevicePluginOptions {
  preStartRequired: boolean;
  getPreferredAllocationAvailable: boolean;
}

/** Calls one device plugin. All methods reject with the signal's reason when it aborts. */
export interface DevicePluginConnection {
  /** Waits up to 10 s for the plugin, and as long for its response. */
  options(signal: AbortSignal): Promise<DevicePluginOptions>;
  /** The lists of the plugin, one for each change. Ends or throws when the plugin disconnects. */
  listAndWatch(signal: AbortSignal): AsyncIterable<PluginDevice[]>;
  /** The responses for the containers of the request, of which there is one. */
  allocate(ids: readonly string[], signal: AbortSignal): Promise<AllocateResponse[]>;
  preferredAllocation(available: readonly string[], mustInclude: readonly string[], size: number, signal: AbortSignal): Promise<string[]>;
  preStartContainer(ids: readonly string[], signal: AbortSignal): Promise<void>;
}

const dialTimeoutMs = 10_000;

/** Calls the plugin behind a Unix socket by gRPC. */
export function grpcDevicePlugin(socketPath: string): DevicePluginConnection {
  const { getDevicePluginOptions, listAndWatch, allocate, getPreferredAllocation, preStartContainer } = devicePluginService;
  return {
    options: (signal) => callPlugin(socketPath, getDevicePluginOptions, {}, { timeoutMs: dialTimeoutMs, dialTimeoutMs, signal }),
    async *listAndWatch(signal) {
      for await (const { devices } of streamPlugin(socketPath, listAndWatch, {}, { dialTimeoutMs, signal })) {
        yield devices.map(({ ID, health, topology }) => ({
          id: ID,
          health,
          numaNodes: topology === undefined ? null : topology.nodes.map((node) => Number(node.ID)),
        }));
      }
    },
    async allocate(ids, signal) {
      const request = { containerRequests: [{ devicesIds: [...ids] }] };
      return (await callPlugin(socketPath, allocate, request, { signal })).containerResponses;
    },
    async preferredAllocation(available, mustInclude, size, signal) {
      const container = { availableDeviceIDs: available, mustIncludeDeviceIDs: mustInclude, allocationSize: BigInt(size) };
      const { containerResponses } = await callPlugin(socketPath, getPreferredAllocation, { containerRequests: [container] }, { signal });
      return containerResponses[0]?.deviceIDs ?? [];
    },
    async preStartContainer(ids, signal) {
      await callPlugin(socketPath, preStartContainer, { devicesIds: [...ids] }, { signal });
    },
  };
}
