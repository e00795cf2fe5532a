import type { QuantityText } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import type { EvictionSignal } from './signals.js';

/** An absolute quantity, or a fraction of the capacity: 0.1 is 10 %, stored as a 32-bit float as in the kubelet. */
export type ThresholdValue = { quantity: QuantityText } | { percentage: number };

/** An eviction threshold. Plain data; thresholds are distinguished by object identity, even if their values are equal. */
export interface Threshold {
  signal: EvictionSignal;
  /** `LessThan`: met if less than the value is available. A threshold with an empty operator is never met. */
  operator: 'LessThan' | '';
  value: ThresholdValue;
  /** Seconds for which it must be met before pods are evicted; 0 for a hard threshold. */
  gracePeriodSeconds: number;
  /** Amount beyond the value that must be available before a threshold that was met for its grace period is no longer met. */
  minReclaim?: ThresholdValue;
}

/** Whether it is a hard threshold: it evicts immediately, without the pod's grace period. */
export function isHardThreshold({ gracePeriodSeconds }: Threshold): boolean {
  return gracePeriodSeconds === 0;
}

/** The value as an absolute quantity, given the capacity. */
export function thresholdQuantity(value: ThresholdValue, capacity: Quantity): Quantity {
  if ('quantity' in value) return Quantity.parse(value.quantity);
  return Quantity.of(truncated(Number(capacity.value()) * Math.fround(value.percentage)), 'BinarySI');
}

/** The available amount below which the threshold is met. */
export function thresholdLevel(threshold: Threshold, capacity: Quantity, withMinReclaim: boolean): Quantity {
  const level = thresholdQuantity(threshold.value, capacity);
  const { minReclaim } = threshold;
  return withMinReclaim && minReclaim !== undefined ? level.add(thresholdQuantity(minReclaim, capacity)) : level;
}

/** Whether two thresholds are equal, ignoring their minimum reclaim. */
export function sameThreshold(a: Threshold, b: Threshold): boolean {
  if (a === b) return true;
  if (a.signal !== b.signal || a.operator !== b.operator || a.gracePeriodSeconds !== b.gracePeriodSeconds) return false;
  if ('quantity' in a.value) return 'quantity' in b.value && Quantity.parse(a.value.quantity).equals(Quantity.parse(b.value.quantity));
  return 'percentage' in b.value && a.value.percentage === b.value.percentage;
}

const lowestInt64 = -(2n ** 63n);

/** Truncates to a 64-bit integer. An invalid number becomes the lowest one, as in the kubelet: such a threshold is never met. */
function truncated(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : lowestInt64;
}
