import type { SignalObservations } from './observations.js';
import { sameThreshold, type Threshold, thresholdLevel } from './threshold.js';

/**
 * The met thresholds: less is available than their value, or, with `enforceMinReclaim`, than their value plus the minimum reclaim. A
 * threshold without an observation is not met.
 */
export function thresholdsMet(
  thresholds: readonly Threshold[],
  observations: SignalObservations,
  { enforceMinReclaim }: { enforceMinReclaim: boolean },
): Threshold[] {
  return thresholds.filter((threshold) => {
    const observation = observations.get(threshold.signal);
    if (observation === undefined || threshold.operator !== 'LessThan') return false;
    return thresholdLevel(threshold, observation.capacity, enforceMinReclaim).cmp(observation.available) > 0;
  });
}

/** Both lists, without thresholds of the second that equal one of the first. */
export function mergeThresholds(first: readonly Threshold[], second: readonly Threshold[]): Threshold[] {
  const merged = [...first];
  for (const threshold of second) if (!merged.some((each) => sameThreshold(each, threshold))) merged.push(threshold);
  return merged;
}

/** The thresholds with newer observations than before, without an earlier observation, or with an unknown time. */
export function thresholdsWithNewStats(
  thresholds: readonly Threshold[],
  observations: SignalObservations,
  lastObservations: SignalObservations,
): Threshold[] {
  return thresholds.filter(({ signal }) => {
    const observation = observations.get(signal);
    if (observation === undefined) return false;
    const last = lastObservations.get(signal);
    return last === undefined || observation.at === undefined || observation.at > (last.at ?? Number.NEGATIVE_INFINITY);
  });
}
