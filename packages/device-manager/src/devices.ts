/** A device of a plugin. */
export interface PluginDevice {
  /** Unique among the devices of its resource. */
  id: string;
  /** `Healthy`; everything else is unhealthy. */
  health: string;
  /** The NUMA nodes that are close to it, as the plugin lists them. null: the plugin reports no topology. */
  numaNodes: readonly number[] | null;
}

/** The devices of one resource. */
export interface ResourceDevices {
  /** By id, in the order of the plugin's last list. Kept after the plugin disconnects. */
  all: ReadonlyMap<string, PluginDevice>;
  /** Ids of the devices that can be allocated. */
  healthy: ReadonlySet<string>;
  unhealthy: ReadonlySet<string>;
}

/** The devices of a resource whose plugin has not listed them. */
export const noDevices: ResourceDevices = { all: new Map(), healthy: new Set(), unhealthy: new Set() };

/** The devices of a plugin's list, which replaces the previous one. Of devices with one id the last one counts. */
export function receiveDevices(list: readonly PluginDevice[]): ResourceDevices {
  const all = new Map(list.map((device) => [device.id, device]));
  const ids = [...all.keys()];
  const isHealthy = (id: string) => all.get(id)?.health === 'Healthy';
  return { all, healthy: new Set(ids.filter(isHealthy)), unhealthy: new Set(ids.filter((id) => !isHealthy(id))) };
}

/** The devices after their plugin has disconnected: none can be allocated. */
export function disconnectDevices({ all, healthy, unhealthy }: ResourceDevices): ResourceDevices {
  return { all, healthy: new Set(), unhealthy: new Set([...unhealthy, ...healthy]) };
}

/** Whether the devices take part in NUMA alignment: one of them has NUMA nodes. */
export function hasTopologyAlignment({ all }: Pick<ResourceDevices, 'all'>): boolean {
  return [...all.values()].some(({ numaNodes }) => (numaNodes ?? []).length > 0);
}
