import type { Container, Pod } from '@nodeagent/api';
import {
  defaultCpuPeriod,
  type GivenSettings,
  isSidecar,
  milliCpuToQuota,
  milliCpuToShares,
  podLimits,
  podQosClass,
  podRequests,
  Quantity,
} from '@nodeagent/api/helpers';
import type { CgroupResources } from '@nodeagent/cgroups';
import { hugePageLimits } from './huge-pages.js';
import { type MemoryReservationPolicy, memoryReservation } from './memory-reservation.js';
import { containerManagerSettings } from './settings.js';

/** Settings of {@link podCgroupResources}. */
export interface PodCgroupSettings extends Pick<GivenSettings<typeof containerManagerSettings>, 'podPidsLimit'> {
  /** Whether CPU limits become quotas: `cpuCFSQuota` of KubeletConfiguration, and false for pods with exclusive CPUs. Default true. */
  enforceCpuLimits?: boolean;
  /** The CFS period in microseconds. Default 100000. */
  cpuPeriod?: number;
  /** Sizes of huge pages that the machine has, as the kernel's cgroup files spell them. Default none. */
  hugePageSizes?: readonly string[];
  /** Which memory the kernel keeps from reclaim on cgroup v2. Default: MemoryQoS is off, and no value is set. */
  memoryReservationPolicy?: MemoryReservationPolicy;
}

/**
 * The limits of a pod's cgroup: for a guaranteed pod all, for a burstable one those that every container declares, for a best-effort one
 * only the minimum CPU shares. Kubernetes documentation, "Resource Management for Pods and Containers".
 */
export function podCgroupResources(pod: Pod, settings: PodCgroupSettings = {}): CgroupResources {
  const {
    enforceCpuLimits = true,
    cpuPeriod = defaultCpuPeriod,
    podPidsLimit = containerManagerSettings.podPidsLimit.default,
    hugePageSizes = [],
    memoryReservationPolicy,
  } = settings;
  const qos = podQosClass(pod);
  const pids = podPidsLimit > 0 ? { pids: podPidsLimit } : {};
  const requests = podRequests(pod);
  const hugePages = hugePageSizes.length > 0 ? { hugePages: hugePageLimits(requests, hugePageSizes) } : {};
  if (qos === 'BestEffort') return { cpuShares: milliCpuToShares(0), ...pids, ...hugePages };
  const requestedMemory = requests.get('memory')?.value() ?? 0n;
  const kept = qos === 'Guaranteed' ? { guaranteed: requestedMemory } : { burstable: requestedMemory };
  const limits = podLimits(pod);
  const milliLimit = Number((limits.get('cpu') ?? Quantity.zero).milliValue());
  const cpu = { cpuQuota: enforceCpuLimits ? milliCpuToQuota(milliLimit, cpuPeriod) : -1, cpuPeriod };
  const memory = { memory: (limits.get('memory') ?? Quantity.zero).value() };
  return {
    cpuShares: milliCpuToShares(Number((requests.get('cpu') ?? Quantity.zero).milliValue())),
    ...((qos === 'Guaranteed' || isLimited(pod, 'cpu')) && cpu),
    ...((qos === 'Guaranteed' || isLimited(pod, 'memory')) && memory),
    ...pids,
    ...hugePages,
    ...(memoryReservationPolicy && { unified: memoryReservation(memoryReservationPolicy, kept) }),
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
  return isSet({ resources }) || [...containers, ...first].every(isSet);
}
