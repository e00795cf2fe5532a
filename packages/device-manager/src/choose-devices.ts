import { NodeAgentError } from '@nodeagent/api';
import { quoteText } from '@nodeagent/api/helpers';
import type { ResourceDevices } from './devices.js';
import { deviceManagerErrorCodes } from './errors.js';
import { type DeviceGroups, groupDevices } from './group-devices.js';

/** Asks a plugin which of the available devices it prefers for a container that gets `size` of them, including all of `mustInclude`. */
export type PreferDevices = (available: string[], mustInclude: string[], size: number) => Promise<readonly string[]>;

/** Input of {@link chooseDevices}. */
export interface ChooseDevicesInput {
  podUID: string;
  containerName: string;
  resource: string;
  /** How many devices the container requests. */
  required: number;
  /** The devices of the resource; undefined if no plugin has registered it. */
  devices: ResourceDevices | undefined;
  /** The devices that the container has; undefined if it has none. */
  held: ReadonlySet<string> | undefined;
  /** Ids of the devices that containers use. */
  inUse: ReadonlySet<string>;
  /** Ids of the devices of the pod's finished init containers. */
  reusable: ReadonlySet<string>;
  /** The NUMA nodes of the topology manager's hint; null without any. */
  hintNodes: readonly number[] | null;
  /** Whether the container ran before the agent started and not all pods are known: it has its devices, whatever their health. */
  keepsDevices?: boolean;
  /** Default: the plugin has no preference. */
  prefer?: PreferDevices;
}

/** The devices to allocate, by where they come from. The order within a group is the plugin's. */
export interface ChosenDevices {
  /** All of them; empty if the container needs none. */
  ids: string[];
  /** The devices that no container used before the choice; absent if the container keeps its devices. */
  groups?: DeviceGroups;
}

/**
 * Chooses the devices of one resource for a container: reusable ones first, then those on the NUMA nodes of the hint, then others, as the
 * plugin prefers. Throws `DeviceAllocationFailed` with the kubelet's text.
 */
export async function chooseDevices(input: ChooseDevicesInput): Promise<ChosenDevices> {
  const { podUID, containerName, resource, required, devices, held, inUse, reusable, hintNodes, keepsDevices = false } = input;
  if (held !== undefined && held.size !== required) {
    const names = `pod ${quoteText(podUID)} container ${quoteText(containerName)}`;
    throw failed(`${names} changed request for resource ${quoteText(resource)} from ${held.size} to ${required}`);
  }
  if (keepsDevices) return { ids: [] };
  if (devices === undefined) throw failed(`cannot allocate unregistered device ${resource}`);
  if (devices.healthy.size === 0) throw failed(`no healthy devices present; cannot allocate unhealthy devices ${resource}`);
  if ([...(held ?? [])].some((id) => !devices.healthy.has(id))) {
    throw failed(`previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`);
  }
  const isFree = (id: string) => !inUse.has(id);
  const groups = groupDevices(devices, [...devices.healthy].filter(isFree), hintNodes);
  if (held !== undefined || required === 0) return { ids: [], groups };

  const chosen = new Set<string>();
  const take = (ids: Iterable<string>) => {
    for (const id of ids) if (chosen.size < required) chosen.add(id);
    return chosen.size === required;
  };
  if (take(reusable)) return { ids: [...chosen], groups };

  const { aligned, unaligned, noTopology } = groups;
  const available = [...aligned, ...unaligned, ...noTopology].filter((id) => !chosen.has(id));
  const needed = required - chosen.size;
  if (available.length < needed) {
    throw failed(`requested number of devices unavailable for ${resource}. Requested: ${needed}, Available: ${available.length}`);
  }
  // With more aligned devices than needed the plugin chooses among them; else all of them are taken, and it chooses among the others.
  const candidates = needed < aligned.length ? aligned : available;
  if (candidates === available && take(aligned)) return { ids: [...chosen], groups };
  const mustInclude = [...chosen];
  const preferred = await input.prefer?.([...new Set([...candidates, ...mustInclude])], mustInclude, required);
  const offered = new Set(candidates);
  take((preferred ?? []).filter((id) => offered.has(id)));
  take(available);
  return { ids: [...chosen], groups };
}

function failed(message: string): NodeAgentError {
  return new NodeAgentError(deviceManagerErrorCodes.allocationFailed, message);
}
