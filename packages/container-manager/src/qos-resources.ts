import type { Pod } from '@nodeagent/api';
import { milliCpuToShares, podQosClass, podRequests } from '@nodeagent/api/helpers';
import type { CgroupResources } from '@nodeagent/cgroups';
import { type MemoryReservationPolicy, memoryReservation } from './memory-reservation.js';

/** The QoS classes whose pods share a cgroup. Guaranteed pods are directly below the cgroup of all pods. */
export type QosCgroup = 'burstable' | 'besteffort';

/** Settings of {@link qosCgroupResources}. */
export interface QosCgroupSettings {
  /** Sizes of huge pages that the machine has, as the kernel's cgroup files spell them. Default none. */
  hugePageSizes?: readonly string[];
  /** Which memory the kernel keeps from reclaim on cgroup v2. Default: MemoryQoS is off, and no value is set. */
  memoryReservationPolicy?: MemoryReservationPolicy;
  /** Memory that lower classes may not use (`qosReserved`). Default: they may use all. */
  reservedMemory?: {
    /** Share of the requests of higher classes, in percent. */
    percent: number;
    /** The limit of all pods, in bytes. */
    allocatableBytes: bigint;
  };
}

const unlimited = 1n << 62n;

/**
 * The values of the cgroups of QoS classes. Burstable pods together get CPU shares by the sum of their requests, best-effort pods the minimum.
 * `all` has what the requests of pods change in the cgroup of all pods. Kubernetes design proposal "Pod level resource management", KEP-1769.
 */
export function qosCgroupResources(
  activePods: Iterable<Pod>,
  { hugePageSizes = [], memoryReservationPolicy, reservedMemory }: QosCgroupSettings = {},
): Record<QosCgroup | 'all', CgroupResources> {
  let milliCpu = 0n;
  const memory = { Guaranteed: 0n, Burstable: 0n };
  for (const pod of activePods) {
    const qos = podQosClass(pod);
    if (qos === 'BestEffort') continue;
    const requests = podRequests(pod);
    memory[qos] += requests.get('memory')?.value() ?? 0n;
    if (qos === 'Burstable') milliCpu += requests.get('cpu')?.milliValue() ?? 0n;
  }
  const hugePages = hugePageSizes.length > 0 ? { hugePages: Object.fromEntries(hugePageSizes.map((size) => [size, unlimited])) } : {};
  const unified = (kept: Parameters<typeof memoryReservation>[1]) =>
    memoryReservationPolicy === undefined ? {} : { unified: memoryReservation(memoryReservationPolicy, kept) };
  const limits = reservedMemory && memoryLimits(memory, reservedMemory);
  return {
    all: unified({ guaranteed: memory.Guaranteed }),
    burstable: {
      cpuShares: milliCpuToShares(Number(milliCpu)),
      ...hugePages,
      ...unified({ burstable: memory.Burstable }),
      ...(limits && { memory: limits.burstable }),
    },
    besteffort: { cpuShares: milliCpuToShares(0), ...hugePages, ...(limits && { memory: limits.besteffort }) },
  };
}

/** What the reserved shares of the requests of higher classes leave, at least a byte: 0 would be no limit. */
function memoryLimits(
  requests: Record<'Guaranteed' | 'Burstable', bigint>,
  { percent, allocatableBytes }: NonNullable<QosCgroupSettings['reservedMemory']>,
): Record<QosCgroup, bigint> {
  const without = (limit: bigint, requested: bigint) => limit - (requested * BigInt(percent)) / 100n;
  const burstable = without(allocatableBytes, requests.Guaranteed);
  const besteffort = without(burstable, requests.Burstable);
  return { burstable: atLeastOne(burstable), besteffort: atLeastOne(besteffort) };
}

const atLeastOne = (bytes: bigint) => (bytes > 0n ? bytes : 1n);
