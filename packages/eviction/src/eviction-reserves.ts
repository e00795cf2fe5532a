import type { EvictionReserve } from '@nodeagent/api';
import { signalDefinitions } from './signals.js';
import { isHardThreshold, type Threshold } from './threshold.js';

/** The amounts of the node's capacity that the hard thresholds keep free, in the order of the thresholds. */
export function evictionReserves(thresholds: readonly Threshold[]): EvictionReserve[] {
  return thresholds.flatMap((threshold) => {
    const resource = signalDefinitions[threshold.signal].reserves;
    if (resource === undefined || threshold.operator !== 'LessThan' || !isHardThreshold(threshold)) return [];
    return [{ resource, value: threshold.value }];
  });
}
