import {
  errorMessage,
  onAbort,
  type Pod,
  type PodAdmitAttributes,
  type PodAdmitHandler,
  type PodAdmitResult,
  type Startable,
} from '@nodeagent/api';
import { admitUnderPressure } from './admit.js';
import { type EvictionExplanation, explainEviction } from './explain.js';
import { createEvictionMetrics } from './metrics.js';
import { createNodeThresholds, type NodeThresholds } from './node-thresholds.js';
import { makeObservations } from './observations.js';
import { type EvictionManagerOptions, type ResolvedOptions, resolveOptions } from './options.js';
import { createPause, type Pause } from './pause.js';
import { byEvictionPriority, noPressure, observePressure, type PressureState } from './pressure.js';
import { createPressureRelief, type PressureRelief } from './pressure-relief.js';
import type { EvictionSignal } from './signals.js';
import { type SummaryInput, statsByPod } from './stats-input.js';
import { timedCall } from './timed-call.js';

/** Evicts pods of a node under pressure, and reports the node's pressure conditions. */
export interface EvictionManager extends Startable, PodAdmitHandler {
  isUnderMemoryPressure(): boolean;
  isUnderDiskPressure(): boolean;
  isUnderPIDPressure(): boolean;
  /** Whether the node, with its current conditions, admits the pod. Answered from memory. */
  admit: PodAdmitHandler['admit'];
  /**
   * Evaluates the thresholds once and evicts pods; resolves to the evicted pods, at most one because of node pressure. After `start` it
   * runs periodically; a call during an evaluation gets that one's result. Rejects if the layout of the file systems cannot be determined.
   */
  synchronize(): Promise<Pod[]>;
  /**
   * Explains the last evaluation: the met thresholds and since when, the candidates for eviction and why, the time of the next evaluation.
   * `signal` selects the signal for which candidates are ranked. Default: the signal of a met threshold, else `memory.available`.
   */
  explain(signal?: EvictionSignal): EvictionExplanation;
}

const cleanupPeriodMs = 1_000;
const cleanupLimitMs = 30_000;

/** Creates an {@link EvictionManager}. Throws `InvalidOption` or `InvalidEvictionConfig` naming the field. */
export function createEvictionManager(options: EvictionManagerOptions): EvictionManager {
  return new NodePressureEviction(resolveOptions(options));
}

class NodePressureEviction implements EvictionManager {
  readonly #options: ResolvedOptions;
  readonly #thresholds: NodeThresholds;
  readonly #relief: PressureRelief;
  #state: PressureState = noPressure;
  #lastEvaluation: { at: number; summary: SummaryInput } | undefined;
  #lastError: string | undefined;
  #pause: Pause | undefined;
  #current: Promise<Pod[]> | undefined;
  #lifetime = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#thresholds = createNodeThresholds(options);
    this.#relief = createPressureRelief({
      ...options,
      thresholds: () => this.#thresholds.thresholds,
      getSummary: (signal) => this.#getSummary(signal),
      metrics: createEvictionMetrics(options.metrics),
    });
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (this.#loop !== undefined || signal?.aborted) return;
    const started = new AbortController();
    this.#lifetime = started;
    onAbort(signal, (reason) => started.abort(reason), started.signal);
    this.#loop = this.#run(started.signal).finally(() => {
      if (this.#lifetime === started) this.#loop = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#lifetime.abort();
    await Promise.all([this.#loop, this.#current?.catch(() => {})]);
    this.#lifetime = new AbortController();
  }

  isUnderMemoryPressure(): boolean {
    return this.#state.nodeConditions.includes('MemoryPressure');
  }

  isUnderDiskPressure(): boolean {
    return this.#state.nodeConditions.includes('DiskPressure');
  }

  isUnderPIDPressure(): boolean {
    return this.#state.nodeConditions.includes('PIDPressure');
  }

  admit({ pod }: PodAdmitAttributes): PodAdmitResult {
    return admitUnderPressure(pod, this.#state.nodeConditions);
  }

  synchronize(): Promise<Pod[]> {
    this.#current ??= this.#evaluate(this.#lifetime.signal).finally(() => {
      this.#current = undefined;
    });
    return this.#current;
  }

  explain(signal?: EvictionSignal): EvictionExplanation {
    const { clock, activePods, settings } = this.#options;
    const { thresholds, layout } = this.#thresholds;
    return explainEviction({
      thresholds,
      state: this.#state,
      layout,
      pods: activePods(),
      summary: this.#lastEvaluation?.summary,
      transitionPeriodMs: settings.transitionPeriodMs,
      evaluatedAt: this.#lastEvaluation?.at,
      nextEvaluationAt: this.#pause?.until,
      lastError: this.#lastError,
      wallClockOffset: clock.now() - clock.monotonic(),
      signal,
    });
  }

  async #evaluate(signal: AbortSignal): Promise<Pod[]> {
    const { activePods, settings } = this.#options;
    if (this.#thresholds.thresholds.length === 0 && !settings.localStorageCapacityIsolation) return [];
    const { thresholds, layout } = await this.#thresholds.current(signal);
    const pods = activePods();
    const summary = await this.#trySummary(signal);
    if (summary === undefined) return [];
    const { state, actOn } = observePressure(this.#state, {
      thresholds,
      observations: makeObservations(summary),
      now: this.#options.clock.monotonic(),
      transitionPeriodMs: settings.transitionPeriodMs,
    });
    this.#state = state;

    const node = { pods, statsOf: statsByPod(summary), layout, observations: state.observations };
    const overLimits = settings.localStorageCapacityIsolation ? await this.#relief.evictOverLimits(node, signal) : [];
    if (overLimits.length > 0) return overLimits;
    return this.#relief.relieve(byEvictionPriority(actOn), node, signal);
  }

  #getSummary(signal: AbortSignal): Promise<SummaryInput> {
    const { clock, summary, settings } = this.#options;
    const limits = { clock, timeoutMs: settings.summaryTimeoutMs, what: 'node usage', signal };
    return timedCall(limits, (limited) => summary.summary({ fresh: true, signal: limited }));
  }

  /** Undefined if it fails, which is logged. */
  async #trySummary(signal: AbortSignal): Promise<SummaryInput | undefined> {
    try {
      const summary = await this.#getSummary(signal);
      this.#lastError = undefined;
      this.#lastEvaluation = { at: this.#options.clock.now(), summary };
      return summary;
    } catch (error) {
      signal.throwIfAborted();
      this.#lastError = errorMessage(error);
      this.#options.logger.error({ err: error }, 'eviction manager: failed to get summary stats');
      return undefined;
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, memoryEvents, settings, logger } = this.#options;
    const pause = createPause({ clock, periodMs: settings.monitoringIntervalMs, memoryEvents }, signal);
    this.#pause = pause;
    while (!signal.aborted) {
      try {
        const evicted = await this.synchronize();
        if (evicted.length > 0) {
          await this.#untilCleanedUp(evicted, signal);
          continue;
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#lastError = errorMessage(error);
        logger.error({ err: error }, 'eviction manager: failed to synchronize');
      }
      await pause.wait();
    }
  }

  /** Waits at least one period: the usage without the pods has to be measured before the next evaluation. */
  async #untilCleanedUp(pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    const { clock, podCleanedUp } = this.#options;
    const until = clock.monotonic() + cleanupLimitMs;
    do await clock.sleep(cleanupPeriodMs, signal);
    while (!pods.every(podCleanedUp) && clock.monotonic() < until);
  }
}
