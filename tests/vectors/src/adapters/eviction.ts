import type { Pod, PodStats } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { type EvictionSignal, parseThresholds, type Threshold, type ThresholdValue } from '@nodeagent/eviction';
import {
  activeConditions,
  admitUnderPressure,
  conditionsLastObservedAt,
  evictionMessage,
  pressureConditionsOf,
  rankForDisk,
  rankForMemory,
  rankForPids,
  type SignalObservation,
  signalDefinitions,
  thresholdsFirstObservedAt,
  thresholdsMet,
  thresholdsMetGracePeriod,
  thresholdsWithNewStats,
  updateContainerFsThresholds,
} from '@nodeagent/eviction/decisions';
import { parseSummary } from '@nodeagent/stats';
import { type Adapter, defineAdapter } from '../adapter.js';
import { firstWrongThreshold, thresholdOrder, unrecordedErrorText } from '../masks.js';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type Recorded = any;

export function podStats(recorded: Recorded): PodStats {
  const [stats] = parseSummary({ node: {}, pods: [recorded] }).pods;
  return stats as PodStats;
}

/** Percentages are recorded as text that names the 32-bit number. */
function threshold({ value, minReclaim, ...rest }: Recorded): Threshold {
  return { ...rest, value: thresholdValue(value), ...(minReclaim && { minReclaim: thresholdValue(minReclaim) }) };
}
const thresholdValue = (value: Recorded) =>
  value.percentage === undefined ? value : { percentage: Math.fround(Number(value.percentage)) };
export const thresholdsOf = (recorded: Recorded[]) => recorded.map(threshold);

/** Counts are decimal amounts, bytes binary ones. */
function observations(recorded: Recorded): Map<EvictionSignal, SignalObservation> {
  return new Map(
    Object.entries(recorded ?? {}).map(([signal, { available, capacity, timeSeconds }]: Recorded) => {
      const amount = (text: string) =>
        Quantity.of(Quantity.parse(text).value(), signalDefinitions[signal as EvictionSignal].unit === 'count' ? 'DecimalSI' : 'BinarySI');
      const at = timeSeconds === null || timeSeconds === undefined ? undefined : timeSeconds * 1000;
      return [signal, { available: amount(available), capacity: amount(capacity), at }];
    }),
  );
}

/** A threshold as recorded: a percentage is the shortest decimal that names its 32-bit number, and JSON has no NaN. */
function recorded({ value, minReclaim, ...rest }: Threshold) {
  return { ...rest, value: recordedValue(value), ...(minReclaim && { minReclaim: recordedValue(minReclaim) }) };
}

function recordedValue(value: ThresholdValue) {
  if (!('percentage' in value)) return value;
  const { percentage } = value;
  if (Number.isNaN(percentage)) return { percentage: 'NaN' };
  let digits = 1;
  while (Math.fround(Number(percentage.toPrecision(digits))) !== Math.fround(percentage)) digits++;
  return { percentage: Number(percentage.toPrecision(digits)) };
}

function parse(input: Recorded) {
  try {
    return { thresholds: parseThresholds(input).map(recorded) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function stateFunction(input: Recorded): unknown {
  const thresholds = thresholdsOf(input.thresholds);
  const indices = (of: readonly Threshold[]) => of.map((each) => thresholds.indexOf(each)).sort((a, b) => a - b);
  const at = (index: string | number) => thresholds[Number(index)] as Threshold;
  switch (input.fn) {
    case 'firstObservedAtAndGrace': {
      const last = new Map(Object.entries(input.lastObservedAt).map(([index, seconds]) => [at(index), Number(seconds) * 1000]));
      const first = thresholdsFirstObservedAt(input.current.map(at), last, input.now * 1000);
      return {
        firstObservedAt: Object.fromEntries(Array.from(first, ([each, ms]) => [thresholds.indexOf(each), ms / 1000])),
        metGracePeriod: indices(thresholdsMetGracePeriod(first, input.now * 1000)),
      };
    }
    case 'nodeConditions': {
      const observedNow = pressureConditionsOf(thresholds);
      const last = conditionsLastObservedAt(observedNow, new Map(Object.entries(input.lastObservedAt)) as never, input.now);
      return {
        observedNow,
        lastObservedAt: Object.fromEntries(last),
        active: activeConditions(last, input.periodSeconds, input.now).sort(),
      };
    }
    case 'updatedStats':
      return {
        updated: indices(thresholdsWithNewStats(thresholds, observations(input.observations), observations(input.lastObservations))),
      };
    default: {
      const updated = updateContainerFsThresholds(thresholds, input);
      return { thresholds: updated.thresholds.map(recorded), conflict: updated.conflicts.length > 0 };
    }
  }
}

function rank({ rank: kind, fsStats, resource, pods, stats }: Recorded) {
  const byUid = new Map(stats.map((each: Recorded) => [each.podRef.uid, podStats(each)]));
  const statsOf = (pod: Pod) => byUid.get(pod.metadata?.uid) as PodStats | undefined;
  const ranked =
    kind === 'memory'
      ? rankForMemory(pods, statsOf)
      : kind === 'pid'
        ? rankForPids(pods, statsOf)
        : rankForDisk(pods, statsOf, { measures: fsStats, resource });
  return { order: ranked.map(({ pod }) => pod.metadata?.uid) };
}

export const evictionAdapters: Adapter[] = [
  defineAdapter('eviction-parse-threshold-config', parse, {
    masks: [unrecordedErrorText, firstWrongThreshold, thresholdOrder],
  }),
  defineAdapter('eviction-thresholds-met', (input) => {
    const thresholds = thresholdsOf(input.thresholds);
    const met = thresholdsMet(thresholds, observations(input.observations), input);
    return { met: met.map((each) => thresholds.indexOf(each)) };
  }),
  defineAdapter('eviction-state-functions', stateFunction),
  defineAdapter('eviction-rank', rank),
  defineAdapter('eviction-message', ({ resource, pod, stats, thresholds, observations: observed }) =>
    evictionMessage(resource, pod, stats[0] && podStats(stats[0]), thresholdsOf(thresholds), observations(observed)),
  ),
  defineAdapter('eviction-admit', ({ pod, nodeConditions }) => ({
    reason: '',
    message: '',
    ...admitUnderPressure(pod, nodeConditions),
  })),
];
