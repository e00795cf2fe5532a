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
  /** The containers that have it: `main of default/web`. */
  user?: string;
}

/** The node's devices, with the containers that have them, also those that no plugin lists: it may not have registered yet. */
export function deviceResourceLines({ resources, containers }: PageDevices, pods: readonly PagePod[]): DeviceResourceLine[] {
  const names = new Set([...resources.map(({ resource }) => resource), ...containers.map(({ resource }) => resource)]);
  return [...names].map((resource) => {
    const known = resources.find((each) => each.resource === resource);
    const users = usersOf(resource, containers, pods);
    const healthOf = new Map<string, string>([...users.keys()].map((id) => [id, 'Healthy']));
    for (const { id, health } of known?.devices ?? []) healthOf.set(id, health);
    const devices = [...healthOf].map(([id, health]) => ({ id, isHealthy: health === 'Healthy', ...userOf(users.get(id)) }));
    const unhealthy = devices.filter(({ isHealthy }) => !isHealthy).length;
    return {
      resource,
      summary: `${users.size} of ${devices.length} ${devices.length === 1 ? 'device' : 'devices'} in use${unhealthy > 0 ? `, ${unhealthy} unhealthy` : ''}`,
      state: known?.isConnected ? (unhealthy > 0 ? 'unhealthy' : 'healthy') : 'not connected',
      devices: devices.filter(({ isHealthy, user }) => !isHealthy || user !== undefined),
    };
  });
}

/** What is wrong with a resource: its plugin is away, or devices are unhealthy. Undefined: nothing. */
export function deviceProblem({ resource, isConnected, devices }: PageDevices['resources'][number]): string | undefined {
  if (!isConnected) return `the plugin of ${resource} is not connected`;
  return unhealthyText(
    devices.filter(({ health }) => health !== 'Healthy').map(({ id }) => id),
    resource,
  );
}

/** The unhealthy devices of a resource or a driver in words; undefined without any. */
export function unhealthyText(ids: readonly string[], owner: string): string | undefined {
  if (ids.length === 0) return undefined;
  const named = ids.slice(0, maxNames).join(', ') + (ids.length > maxNames ? ', …' : '');
  return `${named} of ${owner} ${ids.length === 1 ? 'is' : 'are'} unhealthy`;
}

const maxNames = 3;

const userOf = (user: string | undefined) => user !== undefined && { user };

/** The containers by the id of their device, which an init container may have had before. */
function usersOf(resource: string, containers: PageDevices['containers'], pods: readonly PagePod[]): Map<string, string> {
  const users = new Map<string, Set<string>>();
  for (const { podUID, containerName, devices } of containers.filter((each) => each.resource === resource)) {
    const user = `${containerName} of ${podName(podUID, pods)}`;
    for (const id of Object.values(devices).flat()) users.set(id, (users.get(id) ?? new Set()).add(user));
  }
  return new Map([...users].map(([id, names]) => [id, [...names].join(', ')]));
}

/** Namespace and name; the uid of a pod that is no longer there. */
export function podName(uid: string, pods: readonly PagePod[]): string {
  const { metadata } = pods.find(({ pod }) => podUid(pod) === uid)?.pod ?? {};
  return metadata === undefined ? uid : `${metadata.namespace}/${metadata.name}`;
}
