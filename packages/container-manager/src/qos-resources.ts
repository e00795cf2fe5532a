import { milliCpuToShares, type Pod, podQosClass, podRequests } from '@nodeagent/api';
import type { CgroupResources } from '@nodeagent/cgroups';

/** The QoS classes whose pods share a cgroup. Guaranteed pods are directly below the cgroup of all pods. */
export type QosCgroup = 'burstable' | 'besteffort';

const unlimited = 1n << 62n;

/**
 * The values of the cgroups of QoS classes: burstable pods together get CPU shares by the sum of their requests, best-effort pods the minimum.
 * Kubernetes design proposal "Pod level resource management", KEP-1769.
 */
export function qosCgroupResources(activePods: Iterable<Pod>, hugePageSizes: readonly string[] = []): Record<QosCgroup, CgroupResources> {
  let milliCpu = 0n;
  for (const pod of activePods) {
    if (podQosClass(pod) === 'Burstable') milliCpu += podRequests(pod).get('cpu')?.milliValue() ?? 0n;
  }
  const hugePages = hugePageSizes.length > 0 ? { hugePages: Object.fromEntries(hugePageSizes.map((size) => [size, unlimited])) } : {};
  return {
    burstable: { cpuShares: milliCpuToShares(Number(milliCpu)), ...hugePages },
    besteffort: { cpuShares: milliCpuToShares(0), ...hugePages },
  };
}
