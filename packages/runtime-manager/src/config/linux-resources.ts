import type { Container, Pod, ResourceList } from '@nodeagent/api';
import {
  defaultCpuPeriod,
  isCriticalPod,
  milliCpuToQuota,
  milliCpuToShares,
  podLimits,
  podQosClass,
  podRequests,
  Quantity,
} from '@nodeagent/api/helpers';
import type { HugepageLimit, LinuxContainerResources } from '@nodeagent/cri-api';
import { type MemoryQos, memoryQosLimits } from './memory-qos.js';
import { oomScoreAdjust } from './oom-score.js';

/** The node's capacity and settings that a container's resources depend on. */
export interface LinuxResourceSettings {
  cgroupVersion: 1 | 2;
  /** Physical memory in bytes. */
  memoryBytes: bigint;
  /** Default true. */
  cpuCFSQuota?: boolean;
  /** Microseconds. Default 100000. */
  cpuCFSQuotaPeriod?: number;
  /** Whether an out-of-memory kill takes one process and not the whole container. Default true; cgroup v2 only. */
  singleProcessOOMKill?: boolean;
  /** As `2MB` and `1GB`. Default none. */
  hugePageSizes?: readonly string[];
  /** Absent where the kernel does not limit swap by cgroup. */
  swap?: { behavior: 'NoSwap' | 'LimitedSwap' | ''; bytes: bigint };
  /** Absent while the feature MemoryQoS is off. */
  memoryQos?: MemoryQos;
}

/** A container's resources for the runtime. Kubernetes documentation, "Resource Management for Pods and Containers". */
export function linuxContainerResources(
  pod: Pod,
  container: Container,
  settings: LinuxResourceSettings,
  { exclusiveCpus = false }: { exclusiveCpus?: boolean } = {},
): LinuxContainerResources {
  const { requests, limits } = container.resources ?? {};
  const podLevel = pod.spec?.resources?.limits;
  const resources = cpuAndMemory(
    {
      cpuRequest: quantity(requests, 'cpu'),
      cpuLimit: nonZero(quantity(limits, 'cpu')) ?? quantity(podLevel, 'cpu'),
      memoryLimit: nonZero(quantity(limits, 'memory')) ?? quantity(podLevel, 'memory'),
    },
    settings,
    exclusiveCpus,
  );
  const swap = swapLimit(pod, container, resources.memoryLimitInBytes ?? 0n, settings);
  const unified = { ...resources.unified, ...swap.unified, ...memoryQosLimits(pod, container, settings.memoryQos) };
  return {
    ...resources,
    oomScoreAdj: BigInt(oomScoreAdjust(pod, container, settings.memoryBytes)),
    hugepageLimits: hugepageLimits(limits, settings.hugePageSizes ?? []),
    ...(swap.memorySwapLimitInBytes !== undefined && { memorySwapLimitInBytes: swap.memorySwapLimitInBytes }),
    ...(Object.keys(unified).length > 0 && { unified }),
  };
}

/** The sums over a pod's containers, without overhead, for its sandbox. */
export function linuxPodResources(pod: Pod, settings: LinuxResourceSettings): LinuxContainerResources {
  const requests = podRequests(pod, { excludeOverhead: true });
  const limits = podLimits(pod, { excludeOverhead: true });
  return cpuAndMemory({ cpuRequest: requests.get('cpu'), cpuLimit: limits.get('cpu'), memoryLimit: limits.get('memory') }, settings);
}

/** A pod's overhead for its sandbox, as both request and limit. Empty for a pod without overhead. */
export function linuxOverheadResources(pod: Pod, settings: LinuxResourceSettings): LinuxContainerResources {
  const overhead = pod.spec?.overhead;
  if (!overhead) return {};
  const cpu = quantity(overhead, 'cpu') ?? Quantity.zero;
  return cpuAndMemory({ cpuRequest: cpu, cpuLimit: cpu, memoryLimit: quantity(overhead, 'memory') }, settings);
}

interface CpuAndMemory {
  cpuRequest: Quantity | undefined;
  cpuLimit: Quantity | undefined;
  memoryLimit: Quantity | undefined;
}

function cpuAndMemory(
  { cpuRequest, cpuLimit, memoryLimit }: CpuAndMemory,
  { cgroupVersion, cpuCFSQuota = true, cpuCFSQuotaPeriod = defaultCpuPeriod, singleProcessOOMKill = true }: LinuxResourceSettings,
  exclusiveCpus = false,
): LinuxContainerResources {
  const milli = (amount: Quantity | undefined) => Number(amount?.milliValue() ?? 0n);
  const memory = memoryLimit?.value() ?? 0n;
  return {
    cpuShares: BigInt(milliCpuToShares(milli(cpuRequest ?? cpuLimit))),
    ...(memory !== 0n && { memoryLimitInBytes: memory }),
    ...(cpuCFSQuota && {
      cpuPeriod: BigInt(cpuCFSQuotaPeriod),
      cpuQuota: exclusiveCpus ? -1n : BigInt(milliCpuToQuota(milli(cpuLimit), cpuCFSQuotaPeriod)),
    }),
    ...(cgroupVersion === 2 && !singleProcessOOMKill && { unified: { 'memory.oom.group': '1' } }),
  };
}

/** A limit for every page size of the node; 0 if the container has no limit, because huge pages require one. */
function hugepageLimits(limits: ResourceList | undefined, sizes: readonly string[]): HugepageLimit[] {
  const bySize = new Map<string, bigint>();
  for (const [name, text] of Object.entries(limits ?? {})) {
    if (name.startsWith('hugepages-')) bySize.set(pageSizeName(name.slice('hugepages-'.length)), Quantity.parse(text).value());
  }
  return sizes.map((pageSize) => ({ pageSize, limit: bySize.get(pageSize) ?? 0n }));
}

/** The page size as the kernel's cgroup files spell it: `2MB` for `2Mi`. */
function pageSizeName(size: string): string {
  let value = Quantity.parse(size).value();
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  while (units.length > 1 && value !== 0n && value % 1024n === 0n) {
    value /= 1024n;
    units.shift();
  }
  return `${value}${units[0]}`;
}

/**
 * How much swap a container may use (KEP-2400): its memory request's share of the node's swap under LimitedSwap, else none. On cgroup
 * v1 the limit is that of memory and swap together.
 */
function swapLimit(
  pod: Pod,
  container: Container,
  memoryLimit: bigint,
  { cgroupVersion, memoryBytes, swap }: LinuxResourceSettings,
): Pick<LinuxContainerResources, 'unified' | 'memorySwapLimitInBytes'> {
  if (swap === undefined) return {};
  if (cgroupVersion === 1) return memoryLimit > 0n ? { memorySwapLimitInBytes: memoryLimit } : {};
  const request = quantity(container.resources?.requests, 'memory')?.value() ?? 0n;
  const mayUse = swap.behavior === 'LimitedSwap' && isFeasibleForSwap(pod, container) && request <= memoryBytes;
  const bytes = mayUse ? BigInt(Math.trunc((Number(request) / Number(memoryBytes)) * Number(swap.bytes))) : 0n;
  return { unified: { 'memory.swap.max': bytes.toString() } };
}

function isFeasibleForSwap(pod: Pod, container: Container): boolean {
  if (isCriticalPod(pod) || podQosClass(pod) !== 'Burstable') return false;
  const request = quantity(container.resources?.requests, 'memory') ?? Quantity.zero;
  const limit = quantity(container.resources?.limits, 'memory') ?? Quantity.zero;
  return !request.equals(limit);
}

const nonZero = (amount: Quantity | undefined) => (amount === undefined || amount.isZero ? undefined : amount);

function quantity(list: ResourceList | undefined, name: string): Quantity | undefined {
  const text = list?.[name];
  return text === undefined ? undefined : Quantity.parse(text);
}
