import {
  type Container,
  defaultCpuPeriod,
  isSidecar,
  milliCpuToQuota,
  milliCpuToShares,
  type Pod,
  podLimits,
  podQosClass,
  podRequests,
  Quantity,
} from '@nodeagent/api';

export interface PodCgroupOptions {
  /** Whether CPU limits become quotas. Default true. */
  enforceCpuLimits?: boolean;
  /** Microseconds. Default 100000. */
  cpuPeriod?: number;
}

/** Limits of a pod's cgroup; absent: not set. */
export interface PodCgroupConfig {
  cpuShares: number;
  /** Microseconds per period; -1: no limit. */
  cpuQuota?: number;
  cpuPeriod?: number;
  /** Bytes. */
  memory?: bigint;
}

/**
 * The limits of a pod's cgroup: for a guaranteed pod all, for a burstable one those that every container declares, for a best-effort one
 * only the minimum CPU shares. Kubernetes documentation, "Resource Management for Pods and Containers".
 */
export function podCgroupConfig(
  pod: Pod,
  { enforceCpuLimits = true, cpuPeriod = defaultCpuPeriod }: PodCgroupOptions = {},
): PodCgroupConfig {
  const qos = podQosClass(pod);
  if (qos === 'BestEffort') return { cpuShares: milliCpuToShares(0) };
  const limits = podLimits(pod);
  const milliLimit = Number((limits.get('cpu') ?? Quantity.zero).milliValue());
  const cpu = { cpuQuota: enforceCpuLimits ? milliCpuToQuota(milliLimit, cpuPeriod) : -1, cpuPeriod };
  const memory = { memory: (limits.get('memory') ?? Quantity.zero).value() };
  return {
    cpuShares: milliCpuToShares(Number((podRequests(pod).get('cpu') ?? Quantity.zero).milliValue())),
    ...((qos === 'Guaranteed' || isLimited(pod, 'cpu')) && cpu),
    ...((qos === 'Guaranteed' || isLimited(pod, 'memory')) && memory),
  };
}

/**
 * Whether the pod, or each of its containers, has a limit of the resource. An init container counts as limited if a sidecar that started
 * before it is limited.
 */
function isLimited(pod: Pod, name: 'cpu' | 'memory'): boolean {
  const isSet = ({ resources }: Pick<Container, 'resources'>) => {
    const limit = resources?.limits?.[name];
    return limit !== undefined && !Quantity.parse(limit).isZero;
  };
  const { containers = [], initContainers = [], resources } = pod.spec ?? {};
  const limitedSidecar = initContainers.findIndex((container) => isSidecar(container) && isSet(container));
  const first = limitedSidecar < 0 ? initContainers : initContainers.slice(0, limitedSidecar);
  return isSet({ ...(resources && { resources }) }) || [...containers, ...first].every(isSet);
}
