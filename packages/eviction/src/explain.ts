import { isCriticalPod, type Pod, podUid, type Summary } from '@nodeagent/api';
import type { FileSystemLayout } from './file-systems.js';
import { byEvictionPriority, type PressureState } from './pressure.js';
import type { RankedPod } from './rank.js';
import { type EvictionSignal, type PressureCondition, rankForSignal, type SignalUnit, signalDefinitions } from './signals.js';
import { type StarvedResource, starvedResources } from './starved-resources.js';
import { type Threshold, thresholdLevel } from './threshold.js';

/** A threshold as the last look saw it. Amounts are quantities, times milliseconds since 1970. */
export interface ThresholdExplanation {
  threshold: Threshold;
  /** The signal's name for users, such as `disk`. */
  displayName: string;
  /** What the amounts count. */
  unit: SignalUnit;
  /** Absent without figures of the signal. */
  available?: string;
  capacity?: string;
  /** What must be left. */
  level?: string;
  /** Since when it is met; absent if it is not. */
  since?: number;
  /** From when on pods are evicted for it if it stays met; absent if it is not. */
  evictsAt?: number;
  /** Whether it was met for its grace period: from then on its minimum reclaim counts. */
  pastGrace: boolean;
}

/** A condition of the Node that holds. Times are milliseconds since 1970. */
export interface ConditionExplanation {
  type: PressureCondition;
  lastSeenAt: number;
  /** When it ends if no threshold of it is met any more. */
  holdsUntil: number;
}

/** A pod, where it stands in the order of eviction, and why. */
export interface EvictionCandidate {
  namespace: string;
  name: string;
  uid: string;
  /** False for critical pods, which are passed over. */
  evictable: boolean;
  /** `uses 512Mi of memory, more than the 256Mi it requests; priority 0`. */
  reason: string;
}

/** What eviction knows and would do. Times are milliseconds since 1970. */
export interface EvictionExplanation {
  /** When the figures came; absent before the first look. */
  lookedAt?: number;
  /** When it looks again; absent while it looks, and if it is not started. */
  nextLookAt?: number;
  /** Why the last look came to nothing; absent if it did not. */
  lastError?: string;
  conditions: ConditionExplanation[];
  thresholds: ThresholdExplanation[];
  /** What the candidates are ranked for. */
  signal: EvictionSignal;
  /** The pods in the order in which they would be evicted. */
  candidates: EvictionCandidate[];
}

/** What an explanation is made of. */
export interface ExplainInput {
  thresholds: readonly Threshold[];
  state: PressureState;
  layout: FileSystemLayout | undefined;
  pods: readonly Pod[];
  summary: Summary | undefined;
  transitionPeriodMs: number;
  lookedAt: number | undefined;
  nextLookAt: number | undefined;
  lastError: string | undefined;
  /** What makes the state's times milliseconds since 1970. */
  wallClockOffset: number;
  signal: EvictionSignal | undefined;
}

/** Says what follows from the last look. Pure: looks at nothing, changes nothing. */
export function explainEviction(input: ExplainInput): EvictionExplanation {
  const { state, thresholds, wallClockOffset, lookedAt, nextLookAt, lastError, summary } = input;
  const signal = input.signal ?? byEvictionPriority(metInOrder(state))[0]?.signal ?? 'memory.available';
  const layout = input.layout ?? { dedicatedImageFs: false, splitContainerFs: false };
  const stats = new Map(summary?.pods.map((each) => [each.podRef.uid, each]));
  const ranked = rankForSignal(signal, layout, input.pods, (pod) => stats.get(podUid(pod)));
  return {
    ...(lookedAt !== undefined && { lookedAt }),
    ...(nextLookAt !== undefined && { nextLookAt }),
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

/** Those that pods may be evicted for, then those whose grace period runs. */
function metInOrder({ thresholdsMet, firstObservedAt }: PressureState): Threshold[] {
  return [...new Set([...thresholdsMet, ...firstObservedAt.keys()])];
}

function explainThreshold(threshold: Threshold, state: PressureState, offset: number): ThresholdExplanation {
  const observation = state.observations.get(threshold.signal);
  const since = state.firstObservedAt.get(threshold);
  const pastGrace = state.thresholdsMet.includes(threshold);
  const { displayName, unit } = signalDefinitions[threshold.signal];
  return {
    threshold,
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
  if (usage === undefined) return 'what it uses is not known';
  const { describeUsage, isRequested } = starvedResources[resource];
  const used = describeUsage(usage);
  if (!isRequested) return used;
  if (request.isZero) return `${used}, requests none`;
  return `${used}, ${exceedsRequest ? 'more' : 'not more'} than the ${request} it requests`;
}
