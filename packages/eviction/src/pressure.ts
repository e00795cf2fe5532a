import type { SignalObservations } from './observations.js';
import {
  activeConditions,
  conditionsLastObservedAt,
  pressureConditionsOf,
  thresholdsFirstObservedAt,
  thresholdsMetGracePeriod,
} from './pressure-times.js';
import { type PressureCondition, signalDefinitions } from './signals.js';
import type { Threshold } from './threshold.js';
import { mergeThresholds, thresholdsMet, thresholdsWithNewStats } from './thresholds-met.js';

/** The state that one evaluation passes to the next. Times are monotonic milliseconds. */
export interface PressureState {
  /** The thresholds that were met for their grace period. */
  thresholdsMet: readonly Threshold[];
  firstObservedAt: ReadonlyMap<Threshold, number>;
  nodeConditions: readonly PressureCondition[];
  lastObservedAt: ReadonlyMap<PressureCondition, number>;
  observations: SignalObservations;
}

/** The state before the first evaluation. */
export const noPressure: PressureState = {
  thresholdsMet: [],
  firstObservedAt: new Map(),
  nodeConditions: [],
  lastObservedAt: new Map(),
  observations: new Map(),
};

/** Inputs of an evaluation. */
export interface PressureInput {
  thresholds: readonly Threshold[];
  observations: SignalObservations;
  now: number;
  /** Milliseconds for which a condition stays true after it was last observed. */
  transitionPeriodMs: number;
}

/**
 * Evaluates the node's stats against the previous state. A condition becomes true as soon as one of its thresholds is met. `actOn` are the
 * thresholds that were met for their grace period and have newer stats than at the previous evaluation, because older stats do not show the
 * effect of an eviction.
 */
export function observePressure(
  before: PressureState,
  { thresholds, observations, now, transitionPeriodMs }: PressureInput,
): { state: PressureState; actOn: Threshold[] } {
  const metNow = thresholdsMet(thresholds, observations, { enforceMinReclaim: false });
  const notYetResolved = thresholdsMet(before.thresholdsMet, observations, { enforceMinReclaim: true });
  const met = mergeThresholds(metNow, notYetResolved);
  const firstObservedAt = thresholdsFirstObservedAt(met, before.firstObservedAt, now);
  const lastObservedAt = conditionsLastObservedAt(pressureConditionsOf(met), before.lastObservedAt, now);
  const pastGrace = thresholdsMetGracePeriod(firstObservedAt, now);
  const state = {
    thresholdsMet: pastGrace,
    firstObservedAt,
    nodeConditions: activeConditions(lastObservedAt, transitionPeriodMs, now),
    lastObservedAt,
    observations,
  };
  return { state, actOn: thresholdsWithNewStats(pastGrace, observations, before.observations) };
}

/** The thresholds in the order of treatment: memory first, then as configured. */
export function byEvictionPriority(thresholds: readonly Threshold[]): Threshold[] {
  const rank = ({ signal }: Threshold) => (signalDefinitions[signal].isActedOnFirst ? 0 : 1);
  return [...thresholds].sort((a, b) => rank(a) - rank(b));
}
