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
import { mergeThresholds, thresholdsMet, thresholdsWithNewFigures } from './thresholds-met.js';

/** What one look at the node leaves for the next. Times are milliseconds of one clock that never goes back. */
export interface PressureState {
  /** The thresholds that were met for their grace period. */
  thresholdsMet: readonly Threshold[];
  firstObservedAt: ReadonlyMap<Threshold, number>;
  nodeConditions: readonly PressureCondition[];
  lastObservedAt: ReadonlyMap<PressureCondition, number>;
  observations: SignalObservations;
}

/** Nothing was seen yet. */
export const noPressure: PressureState = {
  thresholdsMet: [],
  firstObservedAt: new Map(),
  nodeConditions: [],
  lastObservedAt: new Map(),
  observations: new Map(),
};

/** What a look at the node sees. */
export interface PressureInput {
  thresholds: readonly Threshold[];
  observations: SignalObservations;
  now: number;
  /** How long a condition holds after it was last seen. */
  transitionPeriodMs: number;
}

/**
 * What the node's figures mean after what was seen before. A condition holds from the moment in which a threshold is met; `actOn` are the
 * thresholds that were met for their grace period and have newer figures than at the last look: what an eviction has freed shows only in
 * those.
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
  return { state, actOn: thresholdsWithNewFigures(pastGrace, observations, before.observations) };
}

/** The thresholds in the order in which they are acted on: memory before the rest, else as configured. */
export function byEvictionPriority(thresholds: readonly Threshold[]): Threshold[] {
  const rank = ({ signal }: Threshold) => (signalDefinitions[signal].isActedOnFirst ? 0 : 1);
  return [...thresholds].sort((a, b) => rank(a) - rank(b));
}
