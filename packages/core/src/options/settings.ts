import { apiErrorCodes, errorCode, invalidOption, invalidOptionText, type NodeAgentError } from '@nodeagent/api';

/** Periods and limits of an agent; names and defaults are those of KubeletConfiguration v1beta1. Times in milliseconds. */
export interface NodeAgentSettings {
  /** Period of the resync of a healthy pod (`syncFrequency`). Default 1 min, jittered by up to 50%. */
  syncFrequencyMs: number;
  /** Back-off of a pod after a failed sync. Default 10 s, jittered by up to 50%. */
  backOffPeriodMs: number;
  /** Maximum back-off of a crashing container (`crashLoopBackOff.maxContainerRestartPeriod`). Default 5 min. */
  maxContainerRestartPeriodMs: number;
  /**
   * Use of CRI container events instead of relisting all containers every second: `auto` if the runtime has them, `on` with retries until
   * it has them, `off` never. Default `auto`.
   */
  evented: 'auto' | 'on' | 'off';
  /** Period of the PLEG relist without container events. Default 1 s. */
  relistPeriodMs: number;
  /** Age of the last relist above which the agent is unhealthy, without container events. Default 3 min. */
  relistThresholdMs: number;
  /** Delay of housekeeping after a change. Default 2 s. */
  housekeepingPeriodMs: number;
  /** Period of housekeeping without changes. Default 1 min. */
  idleHousekeepingPeriodMs: number;
  /** Period of the garbage collection of dead containers and sandboxes. Default 1 min. */
  containerGCPeriodMs: number;
  /** Period of the runtime's health check. Default 5 s. */
  runtimeStatusPeriodMs: number;
  /** Age of the last successful health check above which the runtime is down. Default 30 s. */
  runtimeStatusThresholdMs: number;
  /** Pulls one image at a time (`serializeImagePulls`). Default true. */
  serializeImagePulls: boolean;
  /** Minimum age of an image before garbage collection may remove it (`imageMinimumGCAge`). Default 2 min. */
  imageMinimumGCAgeMs: number;
  /** Time without use after which an image is removed regardless of disk usage (`imageMaximumGCAge`); 0 disables it. Default 0. */
  imageMaximumGCAgeMs: number;
  /** Usage of the image file system, in percent, above which unused images are removed. Default 85. */
  imageGCHighThresholdPercent: number;
  /** Usage, in percent, down to which they are removed; below the high threshold. Default 80. */
  imageGCLowThresholdPercent: number;
  /** Size of a container's log above which it is rotated, a quantity; negative disables rotation. Default `10Mi`. */
  containerLogMaxSize: string;
  /** Maximum number of files of each container's log, at least 2. Default 5. */
  containerLogMaxFiles: number;
  /** Number of logs rotated in parallel. Default 1. */
  containerLogMaxWorkers: number;
  /** Period of the check of log sizes (`containerLogMonitorInterval`), at least 3 s. Default 10 s. */
  containerLogMonitorIntervalMs: number;
  /** Minimum time between two measurements of a pod's volumes (`volumeStatsAggPeriod`). Default 1 min, plus up to 100% jitter. */
  volumeStatsAggPeriodMs: number;
  /** Cluster DNS servers (`clusterDNS`). Default none. */
  clusterDNS: string[];
  /** `clusterDomain`. Default none. */
  clusterDomain: string;
  /**
   * Whether each pod gets a cgroup with its limits below that of its QoS class (`cgroupsPerQOS`). Needs root and a runtime that uses the
   * pod's cgroup, such as containerd or CRI-O. Default false: the runtime places sandboxes.
   */
  cgroupsPerQOS: boolean;
  /** The cgroup driver (`cgroupDriver`) of a runtime that does not report its own: `cgroupfs` or `systemd`. Default `cgroupfs`. */
  cgroupDriver: 'cgroupfs' | 'systemd';
  /** Path of the cgroup below which that of all pods, `kubepods`, is created (`cgroupRoot`). Default empty: the root. */
  cgroupRoot: string;
  /** Which cgroups get the limits of Node Allocatable (`enforceNodeAllocatable`). Default `pods`. */
  enforceNodeAllocatable: readonly string[];
  /** Path of the existing cgroup of system daemons (`systemReservedCgroup`), to enforce `system-reserved`. Default none. */
  systemReservedCgroup: string;
  /** Path of the existing cgroup of Kubernetes daemons (`kubeReservedCgroup`), to enforce `kube-reserved`. Default none. */
  kubeReservedCgroup: string;
  /** Maximum number of processes of a pod (`podPidsLimit`). Default -1: no limit. */
  podPidsLimit: number;
  /**
   * Share of the memory requests of guaranteed and burstable pods that pods of lower QoS classes may not use, in percent
   * (`qosReserved`). Default 0: they may use all.
   */
  qosReservedMemoryPercent: number;
  /** Whether the agent refuses to start on a machine with swap (`failSwapOn`). Default false; that of a kubelet is true. */
  failSwapOn: boolean;
  /** Whether the agent refuses to start on a machine with cgroup v1 (`failCgroupV1`). Default false; that of a kubelet is true. */
  failCgroupV1: boolean;
  /**
   * How early the kernel kills the agent's process when memory runs out, from -1000 (never) to 1000 (first) (`oomScoreAdj`). Processes that
   * it starts inherit the value. Values below the current one need root. Default: the process keeps its value.
   */
  oomScoreAdj?: number;
  /** Whether the agent rejects other kernel settings than those a node needs, instead of changing them (`protectKernelDefaults`). Default false. */
  protectKernelDefaults: boolean;
  /**
   * Whether the agent runs device plugins, in `device-plugins` of the root directory. Needs a runtime that gives devices to containers, such
   * as containerd or CRI-O. Default false.
   */
  devicePlugins: boolean;
  /** The node's resolver file (`resolvConf`). Default `/etc/resolv.conf`; empty disables it. */
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
  cgroupRoot: '',
  enforceNodeAllocatable: ['pods'],
  systemReservedCgroup: '',
  kubeReservedCgroup: '',
  podPidsLimit: -1,
  qosReservedMemoryPercent: 0,
  failSwapOn: false,
  failCgroupV1: false,
  protectKernelDefaults: false,
  devicePlugins: false,
  resolvConf: '/etc/resolv.conf',
});

/** Settings that core uses itself or converts. Parts check the other settings. */
const corePeriods = [
  'syncFrequencyMs',
  'housekeepingPeriodMs',
  'idleHousekeepingPeriodMs',
  'maxContainerRestartPeriodMs',
  'volumeStatsAggPeriodMs',
] as const;

/** The given settings over the defaults. Throws `InvalidOption` for an invalid setting of core. */
export function effectiveSettings(given: Partial<NodeAgentSettings> = {}): Readonly<NodeAgentSettings> {
  const settings = { ...defaultSettings, ...given };
  for (const name of corePeriods) {
    const value = settings[name];
    if (!(value > 0 && Number.isFinite(value))) throw invalidOption(`settings.${name}`, 'a positive number of milliseconds', value);
  }
  if (!['auto', 'on', 'off'].includes(settings.evented)) throw invalidOption('settings.evented', 'auto, on or off', settings.evented);
  if (settings.cgroupDriver !== 'cgroupfs' && settings.cgroupDriver !== 'systemd') {
    throw invalidOption('settings.cgroupDriver', 'cgroupfs or systemd', settings.cgroupDriver);
  }
  const { oomScoreAdj = 0 } = settings;
  if (!Number.isInteger(oomScoreAdj) || Math.abs(oomScoreAdj) > 1_000) {
    throw invalidOption('settings.oomScoreAdj', 'a whole number from -1000 to 1000', oomScoreAdj);
  }
  return Object.freeze(settings);
}

/** Calls `create`. If a part rejects a setting, throws its error with the setting's path in the agent's options. */
export function withSettingPaths<T>(create: () => T): T {
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
