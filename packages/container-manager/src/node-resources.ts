import type { ResourceList } from '@nodeagent/api';
import { milliCpuToShares, parseResourceList, Quantity, type ResourceQuantities } from '@nodeagent/api/helpers';
import type { CgroupResources } from '@nodeagent/cgroups';
import { hugePageLimits } from './huge-pages.js';

/** Input of {@link podsCgroupLimits}. */
export interface PodsCgroupInput {
  /** What the machine has. */
  capacity: ResourceList;
  /** `systemReserved` of KubeletConfiguration. Default none. */
  systemReserved?: ResourceList;
  /** `kubeReserved` of KubeletConfiguration. Default none. */
  kubeReserved?: ResourceList;
}

/**
 * The limits of the cgroup of all pods: capacity minus both reservations, without eviction thresholds. Never below zero. Throws
 * `InvalidQuantity`.
 */
export function podsCgroupLimits({ capacity, systemReserved, kubeReserved }: PodsCgroupInput): ResourceQuantities {
  const reserved = [parseResourceList(systemReserved), parseResourceList(kubeReserved)];
  const limits = parseResourceList(capacity);
  for (const [name, amount] of limits) {
    const left = reserved.reduce((rest, part) => rest.sub(part.get(name) ?? Quantity.zero), amount);
    limits.set(name, left.sign < 0 ? Quantity.of(0, left.format) : left);
  }
  return limits;
}

/** Options of {@link nodeCgroupResources}. */
export interface NodeCgroupSettings {
  /** Sizes of huge pages that the machine has, as the kernel's cgroup files spell them. Default none. */
  hugePageSizes?: readonly string[];
  /** Whether only CPU is set: the `-compressible` entries of `enforceNodeAllocatable`. Default false. */
  onlyCompressible?: boolean;
}

/** The values of the cgroup of all pods, or of a reserved one, for its amounts of `cpu`, `memory`, `pid` and huge pages. */
export function nodeCgroupResources(
  amounts: ReadonlyMap<string, Quantity>,
  { hugePageSizes = [], onlyCompressible = false }: NodeCgroupSettings = {},
): CgroupResources {
  const cpu = amounts.get('cpu');
  const cpuShares = cpu === undefined ? {} : { cpuShares: milliCpuToShares(Number(cpu.milliValue())) };
  if (onlyCompressible) return cpuShares;
  const memory = amounts.get('memory')?.value() ?? 0n;
  const pids = Number(amounts.get('pid')?.value() ?? 0n);
  return {
    ...cpuShares,
    ...(memory > 0n && { memory }),
    ...(pids > 0 && { pids }),
    ...(hugePageSizes.length > 0 && { hugePages: hugePageLimits(amounts, hugePageSizes) }),
  };
}
