import {
  abandonAtDeadline,
  checkOptionNames,
  errorMessage,
  type OptionNames,
  onAbort,
  type Pod,
  type PodAdmitHandler,
  podUid,
  type Startable,
} from '@nodeagent/api';
import { admitUnderPressure } from './admit.js';
import { updateContainerFsThresholds } from './container-fs-thresholds.js';
import { timedOut } from './errors.js';
import { createPodEvictor } from './evict-pod.js';
import { type EvictionExplanation, explainEviction } from './explain.js';
import type { FileSystemLayout } from './file-systems.js';
import { localStorageExcess } from './local-storage.js';
import { evictionMessage } from './message.js';
import { createEvictionMetrics } from './metrics.js';
import { makeObservations, type SignalObservations } from './observations.js';
import { type EvictionManagerOptions, resolveOptions } from './options.js';
import { createPause, type Pause } from './pause.js';
import { byEvictionPriority, noPressure, observePressure } from './pressure.js';
import type { StatsOf } from './rank.js';
import { type EvictionSignal, nodeReclaims, type PressureCondition, rankForSignal, signalDefinitions } from './signals.js';
import { type SummaryInput, statsByPod } from './stats-input.js';
import { isHardThreshold, type Threshold } from './threshold.js';
import { thresholdsMet } from './thresholds-met.js';

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

const hardGracePeriodSeconds = 1;
const cleanupPeriodMs = 1_000;
const cleanupLimitMs = 30_000;
const reclaimLimitMs = 300_000;

const optionNames: OptionNames<EvictionManagerOptions> = {
  nodeName: true,
  summary: true,
  activePods: true,
  killPod: true,
  podCleanedUp: true,
  fileSystems: true,
  reclaim: true,
  memoryEvents: true,
  settings: {
    evictionPressureTransitionPeriodMs: true,
    evictionMaxPodGracePeriod: true,
    localStorageCapacityIsolation: true,
    monitoringIntervalMs: true,
    summaryTimeoutMs: true,
    evictionHard: true,
    evictionSoft: true,
    evictionSoftGracePeriod: true,
    evictionMinimumReclaim: true,
    enforceNodeAllocatable: true,
    mergeDefaultEvictionSettings: true,
  },
  thresholds: true,
  clock: true,
  recorder: true,
  logger: true,
  metrics: true,
};

/** Creates an {@link EvictionManager}. Throws `InvalidOption` or `InvalidEvictionConfig` naming the field. */
export function createEvictionManager(options: EvictionManagerOptions): EvictionManager {
  checkOptionNames('createEvictionManager', options, optionNames);
  const resolved = resolveOptions(options);
  const { nodeName, activePods, podCleanedUp, fileSystems, reclaim, clock, recorder, logger, settings } = resolved;
  const metrics = createEvictionMetrics(resolved.metrics);
  const evict = createPodEvictor(resolved, metrics.evictions);
  const node = { kind: 'Node', name: nodeName, uid: nodeName };

  let thresholds = resolved.thresholds;
  let layout: FileSystemLayout | undefined;
  let state = noPressure;
  let lastEvaluation: { at: number; summary: SummaryInput } | undefined;
  let lastError: string | undefined;
  let pause: Pause | undefined;
  let current: Promise<Pod[]> | undefined;
  let lifetime = new AbortController();
  let loop: Promise<void> | undefined;

  const isUnder = (condition: PressureCondition) => state.nodeConditions.includes(condition);
  const withTimeout = <T>(timeoutMs: number, what: string, signal: AbortSignal, call: (signal: AbortSignal) => T | Promise<T>) =>
    abandonAtDeadline({ clock, timeoutMs, signal, error: () => timedOut(what, timeoutMs) }, call);
  const ask = <T>(what: string, signal: AbortSignal, call: (signal: AbortSignal) => T | Promise<T>) =>
    withTimeout(settings.summaryTimeoutMs, what, signal, call);
  const getSummary = (signal: AbortSignal) =>
    ask('node usage', signal, (limited) => resolved.summary.summary({ fresh: true, signal: limited }));

  async function detectLayout(signal: AbortSignal): Promise<FileSystemLayout> {
    const dedicatedImageFs = await ask('layout of the file systems', signal, (limited) => fileSystems.hasDedicatedImageFs(limited));
    try {
      const split = await ask('file system of containers', signal, (limited) => fileSystems.hasDedicatedContainerFs(limited));
      return { dedicatedImageFs, splitContainerFs: split };
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ err: error }, 'cannot determine the file system of containers, using that of images');
      return { dedicatedImageFs, splitContainerFs: false };
    }
  }

  /** The current thresholds. Those derived for the containers' file system apply from the second evaluation on, as in the kubelet. */
  async function currentThresholds(signal: AbortSignal): Promise<readonly Threshold[]> {
    if (layout !== undefined) return thresholds;
    layout = await detectLayout(signal);
    const updated = updateContainerFsThresholds(thresholds, layout);
    for (const { signal: name } of updated.conflicts) logger.warn(`the threshold of ${name} is derived from the file systems`);
    const configured = thresholds.length;
    thresholds = updated.thresholds;
    return thresholds.slice(0, configured);
  }

  async function evaluate(signal: AbortSignal): Promise<Pod[]> {
    if (thresholds.length === 0 && !settings.localStorageCapacityIsolation) return [];
    const configured = await currentThresholds(signal);
    const pods = activePods();
    let summary: SummaryInput;
    try {
      summary = await getSummary(signal);
    } catch (error) {
      signal.throwIfAborted();
      lastError = errorMessage(error);
      logger.error({ err: error }, 'eviction manager: failed to get summary stats');
      return [];
    }
    lastError = undefined;
    lastEvaluation = { at: clock.now(), summary };
    const observed = observePressure(state, {
      thresholds: configured,
      observations: makeObservations(summary),
      now: clock.monotonic(),
      transitionPeriodMs: settings.transitionPeriodMs,
    });
    state = observed.state;
    const statsOf = statsByPod(summary);

    const overLimits = settings.localStorageCapacityIsolation ? await evictOverLimits(pods, statsOf, signal) : [];
    if (overLimits.length > 0) return overLimits;
    const actOn = byEvictionPriority(observed.actOn);
    return relieve(actOn, pods, statsOf, state.observations, signal);
  }

  async function evictOverLimits(pods: readonly Pod[], statsOf: StatsOf, signal: AbortSignal): Promise<Pod[]> {
    const evicted: Pod[] = [];
    for (const pod of pods) {
      const stats = statsOf(pod);
      const excess = stats && localStorageExcess(pod, stats, { dedicatedImageFs: layout?.dedicatedImageFs ?? false });
      // The stats and the evictions of other pods take time, in which the pod may have terminated.
      if (excess === undefined || !activePods().some((each) => podUid(each) === podUid(pod))) continue;
      if (await evict(pod, excess, hardGracePeriodSeconds, signal)) evicted.push(pod);
    }
    return evicted;
  }

  /** Reclaims the resource: first at node level, then by evicting a pod. */
  async function relieve(
    actOn: readonly Threshold[],
    pods: readonly Pod[],
    statsOf: StatsOf,
    observations: SignalObservations,
    signal: AbortSignal,
  ): Promise<Pod[]> {
    const [threshold] = actOn;
    if (threshold === undefined || layout === undefined) return [];
    const { resource } = signalDefinitions[threshold.signal];
    recorder.event(node, 'Warning', 'EvictionThresholdMet', `Attempting to reclaim ${resource}`);
    if (await reclaimNode(threshold, layout, signal)) return [];

    const left = new Set(activePods().map(podUid));
    const ranked = rankForSignal(
      threshold.signal,
      layout,
      pods.filter((pod) => left.has(podUid(pod))),
      statsOf,
    );
    if (ranked.length === 0) {
      logger.error(`eviction manager: no pods are active to evict for lack of ${resource}`);
      return [];
    }
    for (const { signal: name } of actOn) {
      const at = observations.get(name)?.at;
      if (at !== undefined) metrics.statsAge.observe((clock.now() - at) / 1000, { eviction_signal: name });
    }
    for (const { pod } of ranked) {
      const { message, annotations } = evictionMessage(resource, pod, statsOf(pod), actOn, observations);
      const eviction = { signal: threshold.signal, message, annotations, isDisruption: true };
      if (await evict(pod, eviction, graceFor(threshold, pod), signal)) return [pod];
    }
    logger.error(`eviction manager: no pod can be evicted for lack of ${resource}`);
    return [];
  }

  function graceFor(threshold: Threshold, pod: Pod): number {
    if (isHardThreshold(threshold)) return hardGracePeriodSeconds;
    const own = pod.spec?.terminationGracePeriodSeconds;
    return own === undefined ? settings.maxPodGracePeriod : Math.min(settings.maxPodGracePeriod, own);
  }

  /** Whether node-level reclaim was sufficient for every threshold. */
  async function reclaimNode(threshold: Threshold, on: FileSystemLayout, signal: AbortSignal): Promise<boolean> {
    const steps = nodeReclaims(on, threshold.signal).filter((step) => reclaim[step] !== undefined);
    if (steps.length === 0) return false;
    for (const step of steps) {
      try {
        await withTimeout(reclaimLimitMs, `freeing unused ${step}`, signal, (limited) => reclaim[step]?.(limited));
      } catch (error) {
        signal.throwIfAborted();
        logger.warn({ err: error }, `eviction manager: unexpected error when attempting to reduce unused ${step}`);
      }
    }
    try {
      const observations = makeObservations(await getSummary(signal));
      return thresholdsMet(thresholds, observations, { enforceMinReclaim: true }).length === 0;
    } catch (error) {
      signal.throwIfAborted();
      logger.error({ err: error }, 'eviction manager: failed to get summary stats after freeing');
      return false;
    }
  }

  const synchronize = (): Promise<Pod[]> => {
    current ??= evaluate(lifetime.signal).finally(() => {
      current = undefined;
    });
    return current;
  };

  /** Waits at least one period: the usage without the pods has to be measured before the next evaluation. */
  async function untilCleanedUp(pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    const until = clock.monotonic() + cleanupLimitMs;
    do await clock.sleep(cleanupPeriodMs, signal);
    while (!pods.every(podCleanedUp) && clock.monotonic() < until);
  }

  async function run(signal: AbortSignal): Promise<void> {
    const { monitoringIntervalMs: periodMs } = settings;
    pause = createPause({ clock, periodMs, memoryEvents: resolved.memoryEvents }, signal);
    while (!signal.aborted) {
      try {
        const evicted = await synchronize();
        if (evicted.length > 0) {
          await untilCleanedUp(evicted, signal);
          continue;
        }
      } catch (error) {
        if (signal.aborted) return;
        lastError = errorMessage(error);
        logger.error({ err: error }, 'eviction manager: failed to synchronize');
      }
      await pause.wait();
    }
  }

  return {
    isUnderMemoryPressure: () => isUnder('MemoryPressure'),
    isUnderDiskPressure: () => isUnder('DiskPressure'),
    isUnderPIDPressure: () => isUnder('PIDPressure'),
    admit: ({ pod }) => admitUnderPressure(pod, state.nodeConditions),
    synchronize,
    explain: (signal) =>
      explainEviction({
        thresholds,
        state,
        layout,
        pods: activePods(),
        summary: lastEvaluation?.summary,
        transitionPeriodMs: settings.transitionPeriodMs,
        evaluatedAt: lastEvaluation?.at,
        nextEvaluationAt: pause?.until,
        lastError,
        wallClockOffset: clock.now() - clock.monotonic(),
        signal,
      }),
    async start(signal) {
      if (loop !== undefined || signal?.aborted) return;
      lifetime = new AbortController();
      const started = lifetime;
      onAbort(signal, (reason) => started.abort(reason), started.signal);
      loop = run(started.signal).finally(() => {
        if (lifetime === started) loop = undefined;
      });
    },
    async stop() {
      lifetime.abort();
      await Promise.all([loop, current?.catch(() => {})]);
      lifetime = new AbortController();
    },
  };
}
