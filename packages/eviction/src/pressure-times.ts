import { type PressureCondition, signalDefinitions } from './signals.js';
import type { Threshold } from './threshold.js';

/** Since when each met threshold has been met, in milliseconds; `last` is the result of the previous evaluation. */
export function thresholdsFirstObservedAt(
  met: readonly Threshold[],
  last: ReadonlyMap<Threshold, number>,
  now: number,
): Map<Threshold, number> {
  return new Map(met.map((threshold) => [threshold, last.get(threshold) ?? now]));
}

/** The thresholds that have been met for their grace period. */
export function thresholdsMetGracePeriod(firstObservedAt: ReadonlyMap<Threshold, number>, now: number): Threshold[] {
  return Array.from(firstObservedAt)
    .filter(([threshold, since]) => now - since >= threshold.gracePeriodSeconds * 1000)
    .map(([threshold]) => threshold);
}

/** The conditions of the thresholds, without duplicates. */
export function pressureConditionsOf(thresholds: readonly Threshold[]): PressureCondition[] {
  return [...new Set(thresholds.map(({ signal }) => signalDefinitions[signal].condition))];
}

/** When each condition was last observed, in milliseconds. */
export function conditionsLastObservedAt(
  observed: readonly PressureCondition[],
  last: ReadonlyMap<PressureCondition, number>,
  now: number,
): Map<PressureCondition, number> {
  return new Map([...last, ...observed.map((condition) => [condition, now] as const)]);
}

/** The true conditions: those observed less than the transition period ago. */
export function activeConditions(
  lastObservedAt: ReadonlyMap<PressureCondition, number>,
  transitionPeriodMs: number,
  now: number,
): PressureCondition[] {
  return Array.from(lastObservedAt)
    .filter(([, at]) => now - at < transitionPeriodMs)
    .map(([condition]) => condition);
}
