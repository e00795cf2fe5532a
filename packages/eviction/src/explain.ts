import type { Pod } from '@nodeagent/api';
import { isCriticalPod, podUid, Quantity } from '@nodeagent/api/helpers';
import type { FileSystemLayout } from './file-systems.js';
import { byEvictionPriority, type PressureState } from './pressure.js';
import type { RankedPod } from './rank.js';
import { type EvictionSignal, type PressureCondition, rankForSignal, type SignalUnit, signalDefinitions } from './signals.js';
import { type StarvedResource, starvedResources } from './starved-resources.js';
import { type SummaryInput, statsByPod } from './stats-input.js';
import { type Threshold, thresholdLevel } from './threshold.js';

/** A threshold at the last evaluation. Amounts are quantities, times milliseconds since 1970. */
export interface ThresholdExplanation extends Threshold {
  /** The signal's name for users, such as `disk`. */
  displayName: string;
  /** The unit of the amounts. */
  unit: SignalUnit;
  /** Absent if the summary has no value for the signal. */
  available?: string;
  capacity?: string;
  /** The available amount below which the threshold is met. */
  level?: string;
  /** Since when the threshold is met; absent if it is not. */
  since?: number;
  /** When eviction starts if the threshold stays met; absent if it is not met. */
  evictsAt?: number;
  /** Whether it was met for its grace period; then its minimum reclaim applies. */
  pastGrace: boolean;
}

/** A true condition of the Node. Times are milliseconds since 1970. */
export interface ConditionExplanation {
  type: PressureCondition;
  lastSeenAt: number;
  /** When it becomes false if none of its thresholds is met any more. */
  holdsUntil: number;
}

/** A pod in the eviction order, with the reason for its rank. */
export interface EvictionCandidate {
  namespace: string;
  name: string;
  uid: string;
  /** False for critical pods, which are never evicted. */
  evictable: boolean;
  /** `uses 512Mi of memory, more than the 256Mi it requests; priority 0`. */
  reason: string;
}

/** The state and next actions of eviction: plain data, which `JSON.stringify` keeps. Times are milliseconds since 1970. */
export interface EvictionExplanation {
  /** When the stats arrived; absent before the first evaluation. */
  evaluatedAt?: number;
  /** Time of the next evaluation; absent during an evaluation, and if the manager is not started. */
  nextEvaluationAt?: number;
  /** Error of the last evaluation; absent if it succeeded. */
  lastError?: string;
  conditions: ConditionExplanation[];
  thresholds: ThresholdExplanation[];
  /** The signal for which the candidates are ranked. */
  signal: EvictionSignal;
  /** The pods in the order in which they would be evicted. */
  candidates: EvictionCandidate[];
}

/** Inputs of an explanation. */
export interface ExplainInput {
  thresholds: readonly Threshold[];
  state: PressureState;
  layout: FileSystemLayout | undefined;
  pods: readonly Pod[];
  summary: SummaryInput | undefined;
  transitionPeriodMs: number;
  evaluatedAt: number | undefined;
  nextEvaluationAt: number | undefined;
  lastError: string | undefined;
  /** Offset that converts the state's monotonic times to milliseconds since 1970. */
  wallClockOffset: number;
  signal: EvictionSignal | undefined;
}

/** Explains the last evaluation. A pure function. */
export function explainEviction(input: ExplainInput): EvictionExplanation {
  const { state, thresholds, wallClockOffset, evaluatedAt, nextEvaluationAt, lastError, summary } = input;
  const signal = input.signal ?? byEvictionPriority(metInOrder(state))[0]?.signal ?? 'memory.available';
  const layout = input.layout ?? { dedicatedImageFs: false, splitContainerFs: false };
  const ranked = rankForSignal(signal, layout, input.pods, statsByPod(summary ?? {}));
  return {
    ...(evaluatedAt !== undefined && { evaluatedAt }),
    ...(nextEvaluationAt !== undefined && { nextEvaluationAt }),
    ...(lastError !== undefined && { lastError }),
    conditions: state.nodeConditions.map((type) => {
      const lastSeenAt = (state.lastObservedAt.get(type) ?? 0) + wallClockOffset;
      return { type, lastSeenAt, holdsUntil: lastSeenAt + input.transitionPeriodMs };
    }),
    thresholds: thresholds
      .filter(({ operator }) => operator === 'LessThan')
      .map((threshold) => explainThreshold(threshold, state, wallClockOffset)),
    signal,
    candidates: ranked.map((each) => explainCandidate(each, signalDefinitions[signal].resource)),
  };
}

/** The thresholds past their grace period, then those within it. */
function metInOrder({ thresholdsMet, firstObservedAt }: PressureState): Threshold[] {
  return [...new Set([...thresholdsMet, ...firstObservedAt.keys()])];
}

function explainThreshold(threshold: Threshold, state: PressureState, offset: number): ThresholdExplanation {
  const observation = state.observations.get(threshold.signal);
  const since = state.firstObservedAt.get(threshold);
  const pastGrace = state.thresholdsMet.includes(threshold);
  const { displayName, unit } = signalDefinitions[threshold.signal];
  return {
    ...threshold,
    displayName,
    unit,
    pastGrace,
    ...(observation && {
      available: observation.available.toString(),
      capacity: observation.capacity.toString(),
      level: thresholdLevel(threshold, observation.capacity, pastGrace).toString(),
    }),
    ...(since !== undefined && { since: since + offset, evictsAt: since + offset + threshold.gracePeriodSeconds * 1000 }),
  };
}

function explainCandidate({ pod, ...facts }: RankedPod, resource: StarvedResource): EvictionCandidate {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  const evictable = !isCriticalPod(pod);
  const reason = `${usageText(facts, resource)}; priority ${facts.priority}${evictable ? '' : '; critical, never evicted'}`;
  return { namespace, name, uid: podUid(pod), evictable, reason };
}

function usageText({ usage, request, exceedsRequest }: Omit<RankedPod, 'pod'>, resource: StarvedResource): string {
  if (usage === undefined) return 'its usage is unknown';
  const { describeUsage, isRequested } = starvedResources[resource];
  const used = describeUsage(BigInt(usage));
  if (!isRequested) return used;
  if (Quantity.parse(request).isZero) return `${used}, requests none`;
  return `${used}, ${exceedsRequest ? 'more' : 'not more'} than the ${request} it requests`;
}
