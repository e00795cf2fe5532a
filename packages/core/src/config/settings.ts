import {
  choiceOf,
  completeSettings,
  defaultsOf,
  pickSettings,
  positive,
  type SettingsOf,
  type SettingTable,
  wholeNumberFrom,
} from '@nodeagent/api/helpers';
import { logRotatorSettings } from '@nodeagent/container-logs';
import { containerManagerSettings } from '@nodeagent/container-manager';
import { imageGcSettings } from '@nodeagent/image-gc';
import { plegSettings } from '@nodeagent/pleg';
import { podWorkersSettings } from '@nodeagent/pod-workers';
import { containerGcSettings, runtimeManagerSettings, runtimeMonitorSettings } from '@nodeagent/runtime-manager';
import { volumeStatsSettings } from '@nodeagent/stats';

/** The settings that core itself uses. */
const coreSettings = {
  /**
   * Use of CRI container events instead of relisting all containers every second: `auto` if the runtime has them, `on` with retries until
   * it has them, `off` never. Default `auto`.
   */
  evented: choiceOf('auto', 'on', 'off'),
  /** Delay of housekeeping after a change, in milliseconds. Default 2000. */
  housekeepingPeriodMs: { default: 2_000, unit: 'ms', check: positive },
  /** Period of housekeeping without changes, in milliseconds. Default 60000. */
  idleHousekeepingPeriodMs: { default: 60_000, unit: 'ms', check: positive },
  /** Pulls one image at a time. Default true. */
  serializeImagePulls: { default: true, field: 'serializeImagePulls' },
  /** Cluster DNS servers. Default none. */
  clusterDNS: { default: [] as string[], field: 'clusterDNS' },
  /** Domain of the cluster, such as `cluster.local`. Default none. */
  clusterDomain: { default: '', field: 'clusterDomain' },
  /**
   * Whether each pod gets a cgroup with its limits below that of its QoS class. Needs root and a runtime that uses the pod's cgroup, such as
   * containerd or CRI-O. Default false: the runtime places sandboxes.
   */
  cgroupsPerQOS: { default: false, field: 'cgroupsPerQOS' },
  /** The cgroup driver of a runtime that does not report its own: `cgroupfs` or `systemd`. Default `cgroupfs`. */
  cgroupDriver: { ...choiceOf('cgroupfs', 'systemd'), field: 'cgroupDriver' },
  /** Path of the cgroup below which that of all pods, `kubepods`, is created. Default empty: the root. */
  cgroupRoot: { default: '', field: 'cgroupRoot' },
  /** Which cgroups get the limits of Node Allocatable. Default `pods`. */
  enforceNodeAllocatable: {
    ...containerManagerSettings.enforceNodeAllocatable,
    default: containerManagerSettings.enforceNodeAllocatable.default as readonly string[],
  },
  /** Path of the existing cgroup of system daemons, to enforce `system-reserved`. Default none. */
  systemReservedCgroup: { default: '', field: 'systemReservedCgroup' },
  /** Path of the existing cgroup of Kubernetes daemons, to enforce `kube-reserved`. Default none. */
  kubeReservedCgroup: { default: '', field: 'kubeReservedCgroup' },
  /** Minimum time in milliseconds between two measurements of a pod's volumes. Default 60000, plus up to 100% jitter. */
  volumeStatsAggPeriodMs: { ...volumeStatsSettings.volumeStatsAggPeriodMs, check: positive },
  /** Whether the agent refuses to start on a machine with swap. Default false; that of a kubelet is true. */
  failSwapOn: { default: false, field: 'failSwapOn' },
  /** Whether the agent refuses to start on a machine with cgroup v1. Default false; that of a kubelet is true. */
  failCgroupV1: { default: false, field: 'failCgroupV1' },
  /**
   * How early the kernel kills the agent's process when memory runs out, from -1000 (never) to 1000 (first). Processes that it starts
   * inherit the value. Values below the current one need root. Default: the process keeps its value.
   */
  oomScoreAdj: { default: undefined as number | undefined, check: wholeNumberFrom(-1_000, 1_000), field: 'oomScoreAdj' },
  /**
   * Whether the agent runs device plugins, in `device-plugins` of the root directory. Needs a runtime that gives devices to containers, such
   * as containerd or CRI-O. Default false.
   */
  devicePlugins: { default: false },
  /** The node's resolver file. Default `/etc/resolv.conf`; empty disables it. */
  resolvConf: { default: '/etc/resolv.conf', field: 'resolvConf' },
} satisfies SettingTable;

const crashLoopSettings = pickSettings(runtimeManagerSettings, ['maxContainerRestartPeriodMs']);
const imageCollectionSettings = pickSettings(imageGcSettings, [
  'imageMinimumGCAgeMs',
  'imageMaximumGCAgeMs',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
]);
const podCgroupSettings = pickSettings(containerManagerSettings, ['podPidsLimit', 'qosReservedMemoryPercent', 'protectKernelDefaults']);

/**
 * The settings of an agent, one row each: its default, check and field of KubeletConfiguration. Rows of other packages are theirs. All else
 * derives from the rows: types, names, the conversion of a KubeletConfiguration, flags, and the reference.
 */
export const nodeAgentSettings = {
  ...coreSettings,
  ...podWorkersSettings,
  ...crashLoopSettings,
  ...plegSettings,
  ...containerGcSettings,
  ...runtimeMonitorSettings,
  ...imageCollectionSettings,
  ...logRotatorSettings,
  ...podCgroupSettings,
} satisfies SettingTable;

/** Periods and limits of an agent; names and defaults are those of KubeletConfiguration v1beta1. Times in milliseconds. */
export interface NodeAgentSettings
  extends SettingsOf<typeof coreSettings>,
    SettingsOf<typeof podWorkersSettings>,
    SettingsOf<typeof crashLoopSettings>,
    SettingsOf<typeof plegSettings>,
    SettingsOf<typeof containerGcSettings>,
    SettingsOf<typeof runtimeMonitorSettings>,
    SettingsOf<typeof imageCollectionSettings>,
    SettingsOf<typeof logRotatorSettings>,
    SettingsOf<typeof podCgroupSettings> {}

export const defaultSettings: Readonly<NodeAgentSettings> = Object.freeze(defaultsOf(nodeAgentSettings));

/** The given settings over the defaults. Throws `InvalidOption` for an invalid setting. */
export const effectiveSettings = (given: Partial<NodeAgentSettings> = {}): Readonly<NodeAgentSettings> =>
  Object.freeze(completeSettings(nodeAgentSettings, given));
