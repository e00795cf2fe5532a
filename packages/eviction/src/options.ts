import {
  type Clock,
  type EventRecorder,
  invalidOption,
  type Logger,
  type Metrics,
  noEvents,
  noMetrics,
  type Pod,
  type PodStatus,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { completeSettings, defaultNodeName } from '@nodeagent/api/helpers';
import { parseThresholds } from './parse-thresholds.js';
import { type EvictionSettings, evictionSettings } from './settings.js';
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
  const complete = completeSettings(evictionSettings, settings);
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
      transitionPeriodMs: complete.evictionPressureTransitionPeriodMs,
      maxPodGracePeriod: complete.evictionMaxPodGracePeriod,
      localStorageCapacityIsolation: complete.localStorageCapacityIsolation,
      monitoringIntervalMs: complete.monitoringIntervalMs,
      summaryTimeoutMs: complete.summaryTimeoutMs,
    },
  };
}

export type ResolvedOptions = ReturnType<typeof resolveOptions>;

const oneFileSystem: DiskInfoProvider = { hasDedicatedImageFs: () => false, hasDedicatedContainerFs: () => false };
