import type { Clock, EventRecorder, Logger, Metrics, Pod, PodStatus } from '@nodeagent/api';
import { defaultNodeName, invalidOption, noEvents, noMetrics, requirePositive, silentLogger, systemClock } from '@nodeagent/api';
import { parseThresholds, type ThresholdConfig } from './parse-thresholds.js';
import type { SummaryInput } from './stats-input.js';
import type { Threshold } from './threshold.js';

/** Options of a kill. */
export interface EvictionKill {
  /** The pod is evicted. */
  evict: true;
  /** Seconds; replaces the pod's `terminationGracePeriodSeconds`. */
  gracePeriodOverride: number;
  /** Returns the status to report, from the current one. */
  podStatusFunc(status: PodStatus): PodStatus;
  /** Cancels the wait, not the kill. */
  signal: AbortSignal;
}

/** The layout of the node's file systems. Called at the first evaluation, and again until both calls have succeeded. */
export interface DiskInfoProvider {
  /**
   * Whether images are on another device than the agent's root directory. If it fails, the evaluation fails, and the next one calls again.
   */
  hasDedicatedImageFs(signal: AbortSignal): boolean | Promise<boolean>;
  /** Whether containers' writable layers are on another device than images. A failure counts as false. */
  hasDedicatedContainerFs(signal: AbortSignal): boolean | Promise<boolean>;
}

/** Node-level reclaim. A failure is logged, and eviction continues. */
export interface NodeReclaimer {
  /** Removes all dead containers. */
  containers?(signal: AbortSignal): Promise<void>;
  /** Removes all unused images. */
  images?(signal: AbortSignal): Promise<void>;
}

/** Notifies of memory pressure before the next evaluation is due. */
export interface MemoryEvents {
  /** Calls `onEvent` at each event until the signal aborts. Must not block or throw. */
  watch(onEvent: () => void, signal: AbortSignal): void;
}

/** Settings with the names and defaults of KubeletConfiguration; `...Ms` are milliseconds. */
export interface EvictionSettings extends ThresholdConfig {
  /** Milliseconds for which a condition stays true after it was last observed; with 0 no condition is reported. Default 300000. */
  evictionPressureTransitionPeriodMs?: number;
  /** Maximum grace period of a pod that a soft threshold evicts, in seconds. Default 0. */
  evictionMaxPodGracePeriod?: number;
  /** Whether local storage limits of pods are enforced. Default true. */
  localStorageCapacityIsolation?: boolean;
  /** Interval between evaluations in milliseconds. Default 10000. */
  monitoringIntervalMs?: number;
  /** Timeout in milliseconds of the summary and of the file system calls; then the evaluation fails. Default 30000. */
  summaryTimeoutMs?: number;
}

/** Options of `createEvictionManager`. */
export interface EvictionManagerOptions {
  /** The Node of events. Default: the machine's host name. */
  nodeName?: string;
  /** Source of the usage stats, called with `fresh`: a `SummarySource` of `@nodeagent/api`, or a function that reads the Summary API. */
  summary: { summary(options: { fresh: true; signal: AbortSignal }): SummaryInput | Promise<SummaryInput> };
  /** The active pods of the node, with their allocated resources. Called often; the manager does not change the list. */
  activePods(): readonly Pod[];
  /**
   * Kills the pod and resolves when its containers have stopped. A pod whose kill rejects counts as evicted; the next evaluation shows the
   * effect. The wait ends after 1.5 times the grace period (at least 10 s) plus 5 s.
   */
  killPod(pod: Pod, kill: EvictionKill): Promise<void>;
  /** Whether an evicted pod's resources are released; polled every second for at most 30 s. Default: always true. */
  podCleanedUp?(pod: Pod): boolean;
  /** Default: a single file system. */
  fileSystems?: DiskInfoProvider;
  /** Default: no node-level reclaim. */
  reclaim?: NodeReclaimer;
  /** Triggers evaluations before they are due. Default: none. */
  memoryEvents?: MemoryEvents;
  settings?: EvictionSettings;
  /** The thresholds. Default: those of `settings`. */
  thresholds?: readonly Threshold[];
  clock?: Clock;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
}

/** The options with their defaults. Throws `InvalidOption` or `InvalidEvictionConfig` naming the field. */
export function resolveOptions(options: EvictionManagerOptions) {
  const { nodeName = defaultNodeName(), summary, activePods, killPod, settings = {} } = options;
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'the name of the node', nodeName);
  if (typeof summary?.summary !== 'function') throw invalidOption('summary', 'a source of summaries', summary);
  for (const [name, value] of Object.entries({ activePods, killPod })) {
    if (typeof value !== 'function') throw invalidOption(name, 'a function', value);
  }
  for (const name of ['monitoringIntervalMs', 'summaryTimeoutMs'] as const) requirePositive(`settings.${name}`, settings[name]);
  for (const name of ['evictionPressureTransitionPeriodMs', 'evictionMaxPodGracePeriod'] as const) {
    const value = settings[name] ?? 0;
    if (!(value >= 0 && Number.isFinite(value))) throw invalidOption(`settings.${name}`, 'a number that is not negative', value);
  }
  return {
    ...options,
    nodeName,
    thresholds: options.thresholds ?? parseThresholds(settings),
    podCleanedUp: options.podCleanedUp ?? (() => true),
    fileSystems: options.fileSystems ?? oneFileSystem,
    reclaim: options.reclaim ?? {},
    clock: options.clock ?? systemClock,
    recorder: options.recorder ?? noEvents,
    logger: options.logger ?? silentLogger,
    metrics: options.metrics ?? noMetrics,
    settings: {
      transitionPeriodMs: settings.evictionPressureTransitionPeriodMs ?? 300_000,
      maxPodGracePeriod: settings.evictionMaxPodGracePeriod ?? 0,
      localStorageCapacityIsolation: settings.localStorageCapacityIsolation ?? true,
      monitoringIntervalMs: settings.monitoringIntervalMs ?? 10_000,
      summaryTimeoutMs: settings.summaryTimeoutMs ?? 30_000,
    },
  };
}

const oneFileSystem: DiskInfoProvider = { hasDedicatedImageFs: () => false, hasDedicatedContainerFs: () => false };
