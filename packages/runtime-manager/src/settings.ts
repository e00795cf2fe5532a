import { invalidOption } from '@nodeagent/api';
import {
  choiceOf,
  completeSettings,
  type GivenSettings,
  maxContainerBackOffMs,
  notNegative,
  numberFrom,
  positive,
  type SettingsOf,
  type SettingTable,
  wholeNumberFrom,
} from '@nodeagent/api/helpers';

/** Feature gates; all are off by default. */
export interface RuntimeFeatureGates {
  /** Memory protection and throttling by cgroup v2 (KEP-2570). Default false. */
  MemoryQoS?: boolean;
  /** `lifecycle.stopSignal` of containers (KEP-4960). Default false. */
  ContainerStopSignals?: boolean;
  /** Image requests carry the runtime handler (KEP-4216). Default false. */
  RuntimeClassInImageCriAPI?: boolean;
}

const anyCount = wholeNumberFrom(Number.MIN_SAFE_INTEGER);

/** The settings of the runtime manager, named as in KubeletConfiguration where it has them, with the kubelet's defaults. */
export const runtimeManagerSettings = {
  /** Whether CPU limits become CFS quotas. Default true. */
  cpuCFSQuota: { default: true, field: 'cpuCFSQuota' },
  /** Period of CFS quotas in milliseconds. Default 100. */
  cpuCFSQuotaPeriodMs: { default: 100, unit: 'ms', check: numberFrom(1, 1_000), field: 'cpuCFSQuotaPeriod' },
  /** Whether containers without a seccomp profile get the runtime's default one. Default false: none. */
  seccompDefault: { default: false, field: 'seccompDefault' },
  /** Whether an out-of-memory kill takes one process and not the whole container (cgroup v2). Default false on v2, else true. */
  singleProcessOOMKill: { default: undefined as boolean | undefined, field: 'singleProcessOOMKill' },
  /** `NoSwap` (default) or `LimitedSwap`. */
  swapBehavior: { ...choiceOf('NoSwap', 'LimitedSwap', ''), field: 'memorySwap.swapBehavior' },
  /** The position between request and limit where memory throttling starts, in (0, 1], with the gate MemoryQoS. Default 0.9. */
  memoryThrottlingFactor: { default: 0.9, check: numberFrom(Number.MIN_VALUE, 1), field: 'memoryThrottlingFactor' },
  /** `None` (default), or `TieredReservation` with the gate MemoryQoS: protects requested memory from reclaim. */
  memoryReservationPolicy: { ...choiceOf('None', 'TieredReservation'), field: 'memoryReservationPolicy' },
  /** Feature gates. Default: all off. */
  featureGates: { default: {} as RuntimeFeatureGates, keys: ['MemoryQoS', 'ContainerStopSignals', 'RuntimeClassInImageCriAPI'] },
  /** Maximum crash-loop back-off in milliseconds, from 1 s. Default 300000, which is also the maximum. */
  maxContainerRestartPeriodMs: {
    default: maxContainerBackOffMs,
    unit: 'ms',
    check: numberFrom(1_000, maxContainerBackOffMs),
    field: 'crashLoopBackOff.maxContainerRestartPeriod',
  },
  /** Dead instances to keep of each container; negative for all. Default 1. */
  maxPerPodContainer: { default: 1, check: anyCount },
  /** Dead containers to keep on the node; negative for no limit. Default -1. */
  maxContainers: { default: -1, check: anyCount },
  /** Minimum age in milliseconds of a dead container to be removed. Default 0. */
  minAgeMs: { default: 0, unit: 'ms', check: notNegative },
  /** Timeout of a CRI call in milliseconds; stopping adds the grace period, creating a sandbox doubles it. Default 120000. */
  runtimeRequestTimeoutMs: { default: 120_000, unit: 'ms', check: numberFrom(1), field: 'runtimeRequestTimeout' },
} satisfies SettingTable;

/** Settings of {@link runtimeManagerSettings}. */
export type RuntimeManagerSettings = GivenSettings<typeof runtimeManagerSettings>;

export type ResolvedSettings = SettingsOf<typeof runtimeManagerSettings>;

/** Settings with their defaults. Throws InvalidOption naming the field. */
export function resolveSettings(settings: RuntimeManagerSettings = {}): ResolvedSettings {
  const resolved = completeSettings(runtimeManagerSettings, settings);
  if (resolved.memoryReservationPolicy !== 'None' && !resolved.featureGates.MemoryQoS) {
    throw invalidOption('settings.memoryReservationPolicy', 'None without the feature gate MemoryQoS', resolved.memoryReservationPolicy);
  }
  return resolved;
}

/** The settings of the runtime's health check, with the kubelet's defaults. */
export const runtimeMonitorSettings = {
  /** How often the runtime's status is requested, in milliseconds. Default 5000. */
  runtimeStatusPeriodMs: { default: 5_000, unit: 'ms', check: positive },
  /** Maximum age in milliseconds of the last response; the runtime counts as down after it. Default 30000. */
  runtimeStatusThresholdMs: { default: 30_000, unit: 'ms', check: positive },
} satisfies SettingTable;

/** The settings of container garbage collection, with the kubelet's defaults. */
export const containerGcSettings = {
  /** How often dead containers and sandboxes are collected, in milliseconds. Default 60000. */
  containerGCPeriodMs: { default: 60_000, unit: 'ms', check: positive },
} satisfies SettingTable;
