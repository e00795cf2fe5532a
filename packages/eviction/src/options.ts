import type { Clock, EventRecorder, Logger, Metrics, Pod, PodStatus, SummarySource } from '@nodeagent/api';
import { invalidOption, noEvents, noMetrics, requirePositive, silentLogger, systemClock } from '@nodeagent/api';
import { parseThresholds, type ThresholdConfig } from './parse-thresholds.js';
import type { Threshold } from './threshold.js';

/** How a pod is to be killed. */
export interface EvictionKill {
  /** The pod leaves for good. */
  evict: true;
  /** Seconds, instead of the pod's own. */
  gracePeriodOverride: number;
  /** The status that the pod reports, given the one it has. */
  podStatusFunc(status: PodStatus): PodStatus;
  /** Ends the wait, not the kill. */
  signal: AbortSignal;
}

/** Which file systems the node has; asked until both have answered once, at the first look. */
export interface DiskInfoProvider {
  /** Whether images lie on another device than the agent's root folder. A failure fails the look, and the next one asks again. */
  hasDedicatedImageFs(signal: AbortSignal): boolean | Promise<boolean>;
  /** Whether containers' writable layers lie on another device than images. A failure means no. */
  hasDedicatedContainerFs(signal: AbortSignal): boolean | Promise<boolean>;
}

/** Frees what no running pod uses. Each may fail: that is logged, and eviction goes on. */
export interface NodeReclaimer {
  /** Removes all dead containers. */
  containers?(signal: AbortSignal): Promise<void>;
  /** Removes all unused images. */
  images?(signal: AbortSignal): Promise<void>;
}

/** Tells that memory becomes short before the next look is due. */
export interface MemoryEvents {
  /** Calls back at each event, until the signal aborts. Does not block and does not throw. */
  watch(onEvent: () => void, signal: AbortSignal): void;
}

/** Settings with the names and defaults of KubeletConfiguration; `...Ms` are milliseconds. */
export interface EvictionSettings extends ThresholdConfig {
  /** How long a condition holds after it was last seen; 0 would show none. Default 300000. */
  evictionPressureTransitionPeriodMs?: number;
  /** Longest grace period of a pod that a soft threshold evicts, in seconds. Default 0. */
  evictionMaxPodGracePeriod?: number;
  /** Whether pods' limits of local storage are enforced. Default true. */
  localStorageCapacityIsolation?: boolean;
  /** Time between two looks. Default 10000. */
  monitoringIntervalMs?: number;
  /** How long the summary and the file systems may take; then the look is given up. Default 30000. */
  summaryTimeoutMs?: number;
}

/** Options of `createEvictionManager`. */
export interface EvictionManagerOptions {
  /** The node in events. */
  nodeName: string;
  /** What the node and its pods use, asked with `fresh`. */
  summary: SummarySource;
  /** The pods that live on the node, with the resources they were granted. Called often; the list is not changed. */
  activePods(): readonly Pod[];
  /**
   * Kills the pod and resolves when its containers are gone. A pod whose kill rejects counts as evicted: the next look tells. One
   * that takes longer than one and a half times its grace period, at least 10 s, and 5 s more is not waited for.
   */
  killPod(pod: Pod, kill: EvictionKill): Promise<void>;
  /** Whether what an evicted pod held is free; asked each second, for at most 30. Default: at once. */
  podCleanedUp?(pod: Pod): boolean;
  /** Default: there is one file system. */
  fileSystems?: DiskInfoProvider;
  /** Default: nothing can be freed but by evicting pods. */
  reclaim?: NodeReclaimer;
  /** Default: no look before it is due. */
  memoryEvents?: MemoryEvents;
  settings?: EvictionSettings;
  /** Instead of the thresholds that follow from `settings`. */
  thresholds?: readonly Threshold[];
  clock?: Clock;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
}

/** The options with their defaults. Throws `InvalidOption` or `InvalidEvictionConfig` naming the field. */
export function resolveOptions(options: EvictionManagerOptions) {
  const { nodeName, summary, activePods, killPod, settings = {} } = options;
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
