import { type Clock, invalidOption, type KubeObject, type Pod, requirePositive, systemClock } from '@nodeagent/api';
import type { PodEvent } from '@nodeagent/pod-view';
import type { ListedNode, Workload } from '@nodeagent/pod-view/cluster';

/** A change of an object of the cluster. */
export interface ClusterPageChange {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Plural of the kind: `pods`. */
  resource: string;
  object: KubeObject;
  previous?: KubeObject;
}

/** What the page reads of a cluster. Calls must answer from memory; the page does not change what they return. */
export interface ClusterPageSource {
  /** The time of the cluster in milliseconds since 1970. */
  now(): number;
  nodes(): readonly ListedNode[];
  pods(): readonly Pod[];
  workloads(): readonly Workload[];
  pod(name: string, namespace: string): Pod | undefined;
  /** The events about a pod. */
  events(name: string, namespace: string): readonly PodEvent[];
  /** The last lines of the log of a pod's container. */
  logs(pod: Pod, container: string): string[];
  /** Calls the listener with every change of every object until the returned function is called. */
  watch(listener: (change: ClusterPageChange) => void): () => void;
}

export interface ClusterPageSettings {
  /** Maximum number of timeline entries. A repetition within the last 50 is counted instead of recorded again. Default 2000. */
  timelineLength?: number;
  /** Maximum number of connected browsers; more get 503. Default 16. */
  maxViewers?: number;
  /** Maximum number of buffered bytes for a browser that does not read; it is then disconnected and reconnects. Default 1 MiB. */
  maxBacklogBytes?: number;
  /** Minimum delay between two comparisons of the cluster while a browser is connected, in milliseconds. Default 250. */
  gatherMs?: number;
}

/** Options of `createClusterPage`. */
export interface ClusterPageOptions {
  source: ClusterPageSource;
  /** How many times faster than real time the cluster's time runs. Default 1. */
  speed?: number;
  settings?: ClusterPageSettings;
  /** Clock for the page's timers, in real time. Default: the system clock. */
  clock?: Clock;
}

export interface ResolvedClusterOptions extends ClusterPageOptions {
  speed: number;
  settings: Required<ClusterPageSettings>;
  clock: Clock;
}

/** The options with their defaults. Throws `InvalidOption` naming the field. */
export function resolveClusterOptions(options: ClusterPageOptions): ResolvedClusterOptions {
  const { source, speed = 1, settings = {}, clock = systemClock } = options;
  const { timelineLength = 2_000, maxViewers = 16, maxBacklogBytes = 1 << 20, gatherMs = 250 } = settings;
  if (typeof source?.watch !== 'function') throw invalidOption('source', 'a source of a cluster', source);
  requirePositive('speed', speed);
  requirePositive('settings.timelineLength', timelineLength, { integer: true });
  requirePositive('settings.maxViewers', maxViewers, { integer: true });
  requirePositive('settings.maxBacklogBytes', maxBacklogBytes);
  requirePositive('settings.gatherMs', gatherMs);
  return { source, speed, clock, settings: { timelineLength, maxViewers, maxBacklogBytes, gatherMs } };
}
