import type { SignalObservations } from './observations.js';
import { sameThreshold, type Threshold, thresholdLevel } from './threshold.js';

/**
 * The thresholds of whose resource less is left than they say, or, with `enforceMinReclaim`, than they say and their minimum reclaim on
 * top. One without figures is not met.
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

/** Both lists, without those of the second that say the same as one that is there. */
export function mergeThresholds(first: readonly Threshold[], second: readonly Threshold[]): Threshold[] {
  const merged = [...first];
  for (const threshold of second) if (!merged.some((each) => sameThreshold(each, threshold))) merged.push(threshold);
  return merged;
}

/** The thresholds whose figures are newer than the ones before, or of which there were none before or the time is not known. */
export function thresholdsWithNewFigures(
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
