import { podUid } from '@nodeagent/api/helpers';
import type { PageDevices, PagePod } from './options.js';

/** A resource of a device plugin on the page. */
export interface DeviceResourceLine {
  resource: string;
  /** `2 of 4 devices in use, 1 unhealthy`. */
  summary: string;
  state: 'healthy' | 'unhealthy' | 'not connected';
  /** The devices that are in use or not healthy. */
  devices: DeviceLine[];
}

export interface DeviceLine {
  id: string;
  isHealthy: boolean;
  /** The container that has it: `main of default/web`. */
  user?: string;
}

/** The node's devices, with the containers that have them. */
export function deviceResourceLines({ resources, containers }: PageDevices, pods: readonly PagePod[]): DeviceResourceLine[] {
  return resources.map((each) => {
    const users = usersOf(each.resource, containers, pods);
    const devices = each.devices.map(({ id, health }) => ({ id, isHealthy: health === 'Healthy', ...userOf(users.get(id)) }));
    const unhealthy = devices.filter(({ isHealthy }) => !isHealthy).length;
    const inUse = devices.filter(({ user }) => user !== undefined).length;
    return {
      resource: each.resource,
      summary: `${inUse} of ${devices.length} ${devices.length === 1 ? 'device' : 'devices'} in use${unhealthy > 0 ? `, ${unhealthy} unhealthy` : ''}`,
      state: each.isConnected ? (unhealthy > 0 ? 'unhealthy' : 'healthy') : 'not connected',
      devices: devices.filter(({ isHealthy, user }) => !isHealthy || user !== undefined),
    };
  });
}

/** What is wrong with a resource: its plugin is away, or devices are unhealthy. Undefined: nothing. */
export function deviceProblem({ resource, isConnected, devices }: PageDevices['resources'][number]): string | undefined {
  if (!isConnected) return `the plugin of ${resource} is not connected`;
  const unhealthy = devices.filter(({ health }) => health !== 'Healthy').map(({ id }) => id);
  if (unhealthy.length === 0) return undefined;
  const named = unhealthy.slice(0, maxNames).join(', ') + (unhealthy.length > maxNames ? ', …' : '');
  return `${named} of ${resource} ${unhealthy.length === 1 ? 'is' : 'are'} unhealthy`;
}

const maxNames = 3;

const userOf = (user: string | undefined) => user !== undefined && { user };

/** The containers by the id of their device. */
function usersOf(resource: string, containers: PageDevices['containers'], pods: readonly PagePod[]): Map<string, string> {
  const held = containers.filter((each) => each.resource === resource);
  return new Map(
    held.flatMap(({ podUID, containerName, devices }) => {
      const user = `${containerName} of ${podName(podUID, pods)}`;
      return Object.values(devices).flatMap((ids) => ids.map((id): [string, string] => [id, user]));
    }),
  );
}

/** Namespace and name; the uid of a pod that is no longer there. */
export function podName(uid: string, pods: readonly PagePod[]): string {
  const { metadata } = pods.find(({ pod }) => podUid(pod) === uid)?.pod ?? {};
  return metadata === undefined ? uid : `${metadata.namespace}/${metadata.name}`;
}
