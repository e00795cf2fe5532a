import { Quantity, type QuantityText } from '@nodeagent/api';
import type { EvictionSignal } from './signals.js';

/** An amount, or a part of the capacity: 0.1 is 10 %, kept as a 32-bit number as the kubelet does. */
export type ThresholdValue = { quantity: QuantityText } | { percentage: number };

/** When the node is short of something. Plain data; one object is one threshold, even if another one says the same. */
export interface Threshold {
  signal: EvictionSignal;
  /** `LessThan` what the value says must be left; a threshold with an empty operator is never met. */
  operator: 'LessThan' | '';
  value: ThresholdValue;
  /** How long it must be met before pods are evicted; 0 makes it a hard one. */
  gracePeriodSeconds: number;
  /** How much more than the value must be left before a threshold that was met for its grace period no longer is. */
  minReclaim?: ThresholdValue;
}

/** Whether pods are evicted at once and without their own grace period. */
export function isHardThreshold({ gracePeriodSeconds }: Threshold): boolean {
  return gracePeriodSeconds === 0;
}

/** The amount that a value means, given the capacity. */
export function thresholdQuantity(value: ThresholdValue, capacity: Quantity): Quantity {
  if ('quantity' in value) return Quantity.parse(value.quantity);
  return Quantity.of(truncated(Number(capacity.value()) * Math.fround(value.percentage)), 'BinarySI');
}

/** What must be left so that the threshold is not met. */
export function thresholdLevel(threshold: Threshold, capacity: Quantity, withMinReclaim: boolean): Quantity {
  const level = thresholdQuantity(threshold.value, capacity);
  const { minReclaim } = threshold;
  return withMinReclaim && minReclaim !== undefined ? level.add(thresholdQuantity(minReclaim, capacity)) : level;
}

/** Whether two thresholds say the same, whatever their minimum reclaim. */
export function sameThreshold(a: Threshold, b: Threshold): boolean {
  if (a === b) return true;
  if (a.signal !== b.signal || a.operator !== b.operator || a.gracePeriodSeconds !== b.gracePeriodSeconds) return false;
  if ('quantity' in a.value) return 'quantity' in b.value && Quantity.parse(a.value.quantity).equals(Quantity.parse(b.value.quantity));
  return 'percentage' in b.value && a.value.percentage === b.value.percentage;
}

const lowestInt64 = -(2n ** 63n);

/** A 64-bit integer without its fraction. What is none becomes the lowest one, as in the kubelet: such a threshold is never met. */
function truncated(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : lowestInt64;
}
