import { invalidOption } from '@nodeagent/api';

/** Settings, named as in KubeletConfiguration where it has them, with the kubelet's defaults. */
export interface RuntimeManagerSettings {
  /** Whether CPU limits become CFS quotas. Default true. */
  cpuCFSQuota?: boolean;
  /** Default 100 ms. */
  cpuCFSQuotaPeriodMs?: number;
  /** Whether containers without a seccomp profile get the runtime's default one. Default false: none. */
  seccompDefault?: boolean;
  /** Whether an out-of-memory kill takes one process and not the whole container (cgroup v2). Default false on v2, else true. */
  singleProcessOOMKill?: boolean;
  /** `NoSwap` (default) or `LimitedSwap`. */
  swapBehavior?: 'NoSwap' | 'LimitedSwap' | '';
  /** The position between request and limit where memory throttling starts, in (0, 1], with the gate MemoryQoS. Default 0.9. */
  memoryThrottlingFactor?: number;
  /** `None` (default), or `TieredReservation` with the gate MemoryQoS: protects requested memory from reclaim. */
  memoryReservationPolicy?: 'None' | 'TieredReservation';
  /** Feature gates; all are off by default. */
  featureGates?: {
    /** Memory protection and throttling by cgroup v2 (KEP-2570). Default false. */
    MemoryQoS?: boolean;
    /** `lifecycle.stopSignal` of containers (KEP-4960). Default false. */
    ContainerStopSignals?: boolean;
    /** Image requests carry the runtime handler (KEP-4216). Default false. */
    RuntimeClassInImageCriAPI?: boolean;
  };
  /** Maximum crash-loop back-off in seconds. Default 300. */
  maxContainerRestartPeriodSeconds?: number;
  /** Dead instances to keep of each container; negative for all. Default 1. */
  maxPerPodContainer?: number;
  /** Dead containers to keep on the node; negative for no limit. Default -1. */
  maxContainers?: number;
  /** Minimum age in seconds of a dead container to be removed. Default 0. */
  minAge?: number;
  /** Timeout of a CRI call in milliseconds; stopping adds the grace period, creating a sandbox doubles it. Default 120 s. */
  runtimeRequestTimeoutMs?: number;
}

export type ResolvedSettings = Required<Omit<RuntimeManagerSettings, 'singleProcessOOMKill'>> &
  Pick<RuntimeManagerSettings, 'singleProcessOOMKill'>;

/** Settings with their defaults. Throws InvalidOption naming the field. */
export function resolveSettings(settings: RuntimeManagerSettings = {}): ResolvedSettings {
  const resolved: ResolvedSettings = {
    cpuCFSQuota: settings.cpuCFSQuota ?? true,
    cpuCFSQuotaPeriodMs: settings.cpuCFSQuotaPeriodMs ?? 100,
    seccompDefault: settings.seccompDefault ?? false,
    singleProcessOOMKill: settings.singleProcessOOMKill,
    swapBehavior: settings.swapBehavior ?? 'NoSwap',
    memoryThrottlingFactor: settings.memoryThrottlingFactor ?? 0.9,
    memoryReservationPolicy: settings.memoryReservationPolicy ?? 'None',
    featureGates: settings.featureGates ?? {},
    maxContainerRestartPeriodSeconds: settings.maxContainerRestartPeriodSeconds ?? 300,
    maxPerPodContainer: settings.maxPerPodContainer ?? 1,
    maxContainers: settings.maxContainers ?? -1,
    minAge: settings.minAge ?? 0,
    runtimeRequestTimeoutMs: settings.runtimeRequestTimeoutMs ?? 120_000,
  };
  const range = (field: keyof RuntimeManagerSettings, from: number, to: number) => {
    const value = resolved[field];
    if (typeof value !== 'number' || !(value >= from && value <= to)) {
      throw invalidOption(`settings.${field}`, `a number from ${from} to ${to}`, value);
    }
  };
  range('cpuCFSQuotaPeriodMs', 1, 1000);
  range('maxContainerRestartPeriodSeconds', 1, 300);
  range('maxPerPodContainer', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  range('maxContainers', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  range('minAge', 0, Number.MAX_SAFE_INTEGER);
  range('runtimeRequestTimeoutMs', 1, Number.MAX_SAFE_INTEGER);
  range('memoryThrottlingFactor', Number.MIN_VALUE, 1);
  if (resolved.memoryReservationPolicy !== 'None' && !resolved.featureGates.MemoryQoS) {
    throw invalidOption('settings.memoryReservationPolicy', 'None without the feature gate MemoryQoS', resolved.memoryReservationPolicy);
  }
  return resolved;
}
