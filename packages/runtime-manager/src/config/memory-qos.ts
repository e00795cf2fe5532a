import type { Container, Pod } from '@nodeagent/api';
import { podQosClass, Quantity } from '@nodeagent/api/helpers';

/** Settings of MemoryQoS (KEP-2570, alpha, cgroup v2). */
export interface MemoryQos {
  /** `TieredReservation` protects requested memory from reclaim; `None` (default) does not. */
  reservationPolicy?: 'None' | 'TieredReservation';
  /** The position between request and limit where throttling starts, in (0, 1]. Default 0.9. */
  throttlingFactor?: number;
  /** The node's allocatable memory: the limit of containers without one. */
  allocatableBytes: bigint;
  /** Default 4096. */
  pageSize?: number;
}

/** The cgroup v2 memory protection and throttling of a container; empty if the feature is off. */
export function memoryQosLimits(pod: Pod, container: Container, qos: MemoryQos | undefined): Record<string, string> {
  if (qos === undefined) return {};
  const { reservationPolicy = 'None', throttlingFactor = 0.9, allocatableBytes, pageSize = 4096 } = qos;
  const bytes = (text: string | undefined) => (text === undefined ? 0n : Quantity.parse(text).value());
  const request = bytes(container.resources?.requests?.memory);
  const limit = bytes(container.resources?.limits?.memory);

  const limits: Record<string, string> = {};
  if (reservationPolicy !== 'TieredReservation' || request === 0n) {
    limits['memory.min'] = '0';
    limits['memory.low'] = '0';
  } else {
    limits[podQosClass(pod) === 'Guaranteed' ? 'memory.min' : 'memory.low'] = request.toString();
  }
  if (request !== limit) {
    const ceiling = Number(limit === 0n ? allocatableBytes : limit);
    const high = Math.floor(Number(request) + (ceiling - Number(request)) * throttlingFactor);
    const pages = BigInt(Math.trunc(high / pageSize) * pageSize);
    if (pages > request) limits['memory.high'] = pages.toString();
  }
  return limits;
}
