import type { CgroupResources } from '@nodeagent/cgroups';

/** Which memory the kernel keeps from reclaim (`memoryReservationPolicy`): none, or requests, by the QoS class. */
export type MemoryReservationPolicy = 'None' | 'TieredReservation';

/**
 * The memory of a cgroup v2 that the kernel never reclaims (`guaranteed`), and that which it reclaims last (`burstable`), in bytes:
 * KEP-2570, "Alpha v1.36". The values are 0 unless the policy is `TieredReservation`, so that they replace those of another policy.
 */
export function memoryReservation(
  policy: MemoryReservationPolicy,
  { guaranteed = 0n, burstable = 0n }: { guaranteed?: bigint; burstable?: bigint },
): NonNullable<CgroupResources['unified']> {
  const isTiered = policy === 'TieredReservation';
  return { 'memory.min': `${isTiered ? guaranteed : 0n}`, 'memory.low': `${isTiered ? burstable : 0n}` };
}
