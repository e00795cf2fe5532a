import { apiErrorCodes, errorCode, invalidOption, invalidOptionText, type NodeAgentError } from '@nodeagent/api';

/** What can be set about an agent's rhythm and limits; names and defaults are those of KubeletConfiguration v1beta1. Times in milliseconds. */
export interface NodeAgentSettings {
  /** How often a pod in order is looked at anyway (`syncFrequency`). Default 1 min, jittered up to half more. */
  syncFrequencyMs: number;
  /** How long a failed pod waits for its next try. Default 10 s, jittered up to half more. */
  backOffPeriodMs: number;
  /** Longest pause between restarts of a crashing container (`crashLoopBackOff.maxContainerRestartPeriod`). Default 5 min. */
  maxContainerRestartPeriodMs: number;
  /**
   * Whether the runtime's container events tell what happens to containers, instead of listing all of them each second: `auto` where
   * the runtime has them, `on` by trying again and again, `off` never. Default `auto`.
   */
  evented: 'auto' | 'on' | 'off';
  /** How often all containers are listed (PLEG relist) where no events are followed. Default 1 s. */
  relistPeriodMs: number;
  /** Age of the last relist from which the agent is unhealthy, where no events are followed. Default 3 min. */
  relistThresholdMs: number;
  /** How soon after something happened desired and running pods are compared and leftovers removed. Default 2 s. */
  housekeepingPeriodMs: number;
  /** How often that is done while nothing happens. Default 1 min. */
  idleHousekeepingPeriodMs: number;
  /** How often dead containers and sandboxes are collected. Default 1 min. */
  containerGCPeriodMs: number;
  /** How often the runtime is asked for its health. Default 5 s. */
  runtimeStatusPeriodMs: number;
  /** Age of the last good answer from which the runtime counts as down. Default 30 s. */
  runtimeStatusThresholdMs: number;
  /** Pulls one image at a time (`serializeImagePulls`). Default true. */
  serializeImagePulls: boolean;
  /** No image that is known for less goes to free disk space (`imageMinimumGCAge`). Default 2 min. */
  imageMinimumGCAgeMs: number;
  /** An image that was not used for longer goes however much disk space there is (`imageMaximumGCAge`); 0: none does. Default 0. */
  imageMaximumGCAgeMs: number;
  /** Usage of the images' disk, in whole percent, from which on unused ones go. Default 85. */
  imageGCHighThresholdPercent: number;
  /** Usage down to which they go, in whole percent; below the upper one. Default 80. */
  imageGCLowThresholdPercent: number;
  /** Size from which on a container's log is rotated, a quantity; negative: never. Default `10Mi`. */
  containerLogMaxSize: string;
  /** Files to keep of each container's log, at least 2. Default 5. */
  containerLogMaxFiles: number;
  /** Logs rotated at once. Default 1. */
  containerLogMaxWorkers: number;
  /** How often the sizes of logs are looked at (`containerLogMonitorInterval`), at least 3 s. Default 10 s. */
  containerLogMonitorIntervalMs: number;
  /** Shortest time between two measurements of a pod's volumes (`volumeStatsAggPeriod`). Default 1 min, jittered up to twice that. */
  volumeStatsAggPeriodMs: number;
  /** Cluster DNS servers (`clusterDNS`). Default none. */
  clusterDNS: string[];
  /** `clusterDomain`. Default none. */
  clusterDomain: string;
  /** Whether every pod has a cgroup of its own below its QoS class's (`cgroupsPerQOS`). Default false: the runtime places sandboxes. */
  cgroupsPerQOS: boolean;
  /** How cgroups are named (`cgroupDriver`): `cgroupfs` or `systemd`, as the runtime does. Default `cgroupfs`. */
  cgroupDriver: 'cgroupfs' | 'systemd';
  /** The node's resolver file (`resolvConf`). Default `/etc/resolv.conf`; empty for none. */
  resolvConf: string;
}

export const defaultSettings: Readonly<NodeAgentSettings> = Object.freeze({
  syncFrequencyMs: 60_000,
  backOffPeriodMs: 10_000,
  maxContainerRestartPeriodMs: 300_000,
  evented: 'auto',
  relistPeriodMs: 1_000,
  relistThresholdMs: 180_000,
  housekeepingPeriodMs: 2_000,
  idleHousekeepingPeriodMs: 60_000,
  containerGCPeriodMs: 60_000,
  runtimeStatusPeriodMs: 5_000,
  runtimeStatusThresholdMs: 30_000,
  serializeImagePulls: true,
  imageMinimumGCAgeMs: 120_000,
  imageMaximumGCAgeMs: 0,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  containerLogMaxSize: '10Mi',
  containerLogMaxFiles: 5,
  containerLogMaxWorkers: 1,
  containerLogMonitorIntervalMs: 10_000,
  volumeStatsAggPeriodMs: 60_000,
  clusterDNS: [],
  clusterDomain: '',
  cgroupsPerQOS: false,
  cgroupDriver: 'cgroupfs',
  resolvConf: '/etc/resolv.conf',
});

/** Of what core itself does, and what it hands on in another unit or range. The parts that take the other settings check them. */
const ownPeriods = [
  'syncFrequencyMs',
  'housekeepingPeriodMs',
  'idleHousekeepingPeriodMs',
  'maxContainerRestartPeriodMs',
  'volumeStatsAggPeriodMs',
] as const;

/** The settings in force: the given ones over the defaults. Throws `InvalidOption` for an invalid setting of core's own. */
export function effectiveSettings(given: Partial<NodeAgentSettings> = {}): Readonly<NodeAgentSettings> {
  const settings = { ...defaultSettings, ...given };
  for (const name of ownPeriods) {
    const value = settings[name];
    if (!(value > 0 && Number.isFinite(value))) throw invalidOption(`settings.${name}`, 'a positive number of milliseconds', value);
  }
  if (!['auto', 'on', 'off'].includes(settings.evented)) throw invalidOption('settings.evented', 'auto, on or off', settings.evented);
  return Object.freeze(settings);
}

/** Calls `create`. If a part refuses a setting, throws its error with the path that the setting has in the options of the agent. */
export function namingSettings<T>(create: () => T): T {
  try {
    return create();
  } catch (error) {
    const { message, details } = error as NodeAgentError;
    const field = errorCode(error) === apiErrorCodes.invalidOption ? details?.field : undefined;
    if (typeof field !== 'string' || !Object.hasOwn(defaultSettings, field)) throw error;
    const path = `settings.${field}`;
    throw invalidOptionText(path, message.replace(field, path), { cause: error });
  }
}
