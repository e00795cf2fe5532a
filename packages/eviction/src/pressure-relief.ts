import type { Counter, Histogram, Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { createPodEvictor } from './evict-pod.js';
import type { FileSystemLayout } from './file-systems.js';
import { localStorageExcess } from './local-storage.js';
import { evictionMessage } from './message.js';
import { makeObservations, type SignalObservations } from './observations.js';
import type { ResolvedOptions } from './options.js';
import type { StatsOf } from './rank.js';
import { nodeReclaims, rankForSignal, signalDefinitions } from './signals.js';
import type { SummaryInput } from './stats-input.js';
import { isHardThreshold, type Threshold } from './threshold.js';
import { thresholdsMet } from './thresholds-met.js';
import { timedCall } from './timed-call.js';

/** The node in one evaluation. */
interface ObservedNode {
  /** The active pods. */
  pods: readonly Pod[];
  statsOf: StatsOf;
  layout: FileSystemLayout;
  observations: SignalObservations;
}

/** Frees resources of the node. All methods resolve to the evicted pods. */
export interface PressureRelief {
  /** Evicts the pods that use more local storage than they may. */
  evictOverLimits(node: ObservedNode, signal: AbortSignal): Promise<Pod[]>;
  /** Frees the resource of the first threshold: first at node level, then by evicting a pod. */
  relieve(actOn: readonly Threshold[], node: ObservedNode, signal: AbortSignal): Promise<Pod[]>;
}

export interface PressureReliefOptions
  extends Pick<ResolvedOptions, 'nodeName' | 'activePods' | 'killPod' | 'reclaim' | 'clock' | 'recorder' | 'logger' | 'settings'> {
  thresholds(): readonly Threshold[];
  getSummary(signal: AbortSignal): Promise<SummaryInput>;
  metrics: { evictions: Counter; statsAge: Histogram };
}

const hardGracePeriodSeconds = 1;
const reclaimLimitMs = 300_000;

export function createPressureRelief(options: PressureReliefOptions): PressureRelief {
  return new Relief(options);
}

class Relief implements PressureRelief {
  readonly #options: PressureReliefOptions;
  readonly #evict;

  constructor(options: PressureReliefOptions) {
    this.#options = options;
    this.#evict = createPodEvictor(options, options.metrics.evictions);
  }

  async evictOverLimits({ pods, statsOf, layout }: ObservedNode, signal: AbortSignal): Promise<Pod[]> {
    const evicted: Pod[] = [];
    for (const pod of pods) {
      const stats = statsOf(pod);
      const excess = stats && localStorageExcess(pod, stats, layout);
      // The stats and the evictions of other pods take time, in which the pod may have terminated.
      if (excess === undefined || !this.#activeUids().has(podUid(pod))) continue;
      if (await this.#evict(pod, excess, hardGracePeriodSeconds, signal)) evicted.push(pod);
    }
    return evicted;
  }

  async relieve(actOn: readonly Threshold[], node: ObservedNode, signal: AbortSignal): Promise<Pod[]> {
    const { nodeName, recorder, logger } = this.#options;
    const [threshold] = actOn;
    if (threshold === undefined) return [];
    const { resource } = signalDefinitions[threshold.signal];
    const reference = { kind: 'Node', name: nodeName, uid: nodeName };
    recorder.event(reference, 'Warning', 'EvictionThresholdMet', `Attempting to reclaim ${resource}`);
    if (await this.#reclaimNode(threshold, node.layout, signal)) return [];

    const active = this.#activeUids();
    const left = node.pods.filter((pod) => active.has(podUid(pod)));
    const ranked = rankForSignal(threshold.signal, node.layout, left, node.statsOf);
    if (ranked.length === 0) {
      logger.error(`eviction manager: no pods are active to evict for lack of ${resource}`);
      return [];
    }
    this.#observeStatsAge(actOn, node.observations);
    for (const { pod } of ranked) {
      const { message, annotations } = evictionMessage(resource, pod, node.statsOf(pod), actOn, node.observations);
      const eviction = { signal: threshold.signal, message, annotations, isDisruption: true };
      if (await this.#evict(pod, eviction, this.#gracePeriod(threshold, pod), signal)) return [pod];
    }
    logger.error(`eviction manager: no pod can be evicted for lack of ${resource}`);
    return [];
  }

  #activeUids(): Set<string> {
    return new Set(this.#options.activePods().map(podUid));
  }

  /** In seconds. */
  #gracePeriod(threshold: Threshold, pod: Pod): number {
    if (isHardThreshold(threshold)) return hardGracePeriodSeconds;
    const { maxPodGracePeriod } = this.#options.settings;
    const own = pod.spec?.terminationGracePeriodSeconds;
    return own === undefined ? maxPodGracePeriod : Math.min(maxPodGracePeriod, own);
  }

  #observeStatsAge(actOn: readonly Threshold[], observations: SignalObservations): void {
    const { clock, metrics } = this.#options;
    for (const { signal: name } of actOn) {
      const at = observations.get(name)?.at;
      if (at !== undefined) metrics.statsAge.observe((clock.now() - at) / 1000, { eviction_signal: name });
    }
  }

  /** Whether node-level reclaim was sufficient for every threshold. */
  async #reclaimNode(threshold: Threshold, layout: FileSystemLayout, signal: AbortSignal): Promise<boolean> {
    const { reclaim, clock, logger } = this.#options;
    const steps = nodeReclaims(layout, threshold.signal).filter((step) => reclaim[step] !== undefined);
    if (steps.length === 0) return false;
    for (const step of steps) {
      try {
        const limits = { clock, timeoutMs: reclaimLimitMs, what: `freeing unused ${step}`, signal };
        await timedCall(limits, (limited) => reclaim[step]?.(limited));
      } catch (error) {
        signal.throwIfAborted();
        logger.warn({ err: error }, `eviction manager: unexpected error when attempting to reduce unused ${step}`);
      }
    }
    return this.#isRelieved(signal);
  }

  async #isRelieved(signal: AbortSignal): Promise<boolean> {
    const { thresholds, getSummary, logger } = this.#options;
    try {
      const observations = makeObservations(await getSummary(signal));
      return thresholdsMet(thresholds(), observations, { enforceMinReclaim: true }).length === 0;
    } catch (error) {
      signal.throwIfAborted();
      logger.error({ err: error }, 'eviction manager: failed to get summary stats after freeing');
      return false;
    }
  }
}
