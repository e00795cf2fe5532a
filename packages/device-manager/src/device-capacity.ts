import type { ResourceDevices } from './devices.js';

/** How long a resource stays in the node's status after its plugin has disconnected, in milliseconds. */
export const endpointStopGracePeriodMs = 300_000;

/** A resource and the connection to its plugin. */
export interface ResourceEndpoint {
  resource: string;
  devices: Pick<ResourceDevices, 'healthy' | 'unhealthy'>;
  /** How long ago the plugin disconnected, in milliseconds; undefined while it is connected. */
  disconnectedForMs?: number | undefined;
}

/** The devices of a node by resource. */
export interface DeviceCapacity {
  /** Healthy and unhealthy devices. */
  capacity: Record<string, number>;
  /** Healthy devices. */
  allocatable: Record<string, number>;
  /** Resources whose plugin has been disconnected for more than 5 minutes, sorted: the node no longer has them. */
  deleted: string[];
}

/** Counts the devices of a node: Kubernetes documentation, "Device Plugins". */
export function deviceCapacity(endpoints: readonly ResourceEndpoint[]): DeviceCapacity {
  const isExpired = ({ disconnectedForMs = 0 }: ResourceEndpoint) => disconnectedForMs > endpointStopGracePeriodMs;
  const live = endpoints.filter((endpoint) => !isExpired(endpoint));
  return {
    capacity: Object.fromEntries(live.map(({ resource, devices }) => [resource, devices.healthy.size + devices.unhealthy.size])),
    allocatable: Object.fromEntries(live.map(({ resource, devices }) => [resource, devices.healthy.size])),
    deleted: endpoints
      .filter(isExpired)
      .map(({ resource }) => resource)
      .sort(),
  };
}
