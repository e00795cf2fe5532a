import {
  type Clock,
  invalidOption,
  type Pod,
  type PodStatus,
  type PodUpdateCause,
  type PodWorkerState,
  type ProbeResults,
  requirePositive,
  type SyncReason,
  systemClock,
  type TimelineEntry,
} from '@nodeagent/api';

/** A pod as the agent sees it now. */
export interface PagePod {
  pod: Pod;
  status: PodStatus;
  state: PodWorkerState | undefined;
}

/** A sync of a pod's worker. Times are milliseconds since 1970. */
export interface PageSync {
  startedAt: number;
  /** Absent while it runs. */
  endedAt?: number;
  cause?: PodUpdateCause;
  reasons?: readonly SyncReason[];
  error?: string;
}

/** Why a pod is where it is. */
export interface PagePodExplanation {
  terminationCause?: 'deleted' | 'evicted' | 'containersEnded' | 'killed';
  lastSync?: PageSync;
  lastChange?: PageSync;
  nextRetryAt?: number;
  backOffs: readonly { container: string; reason: string; until: number }[];
}

/** Which pressure the node is under. Amounts are quantities, times milliseconds since 1970. */
export interface PageEviction {
  evaluatedAt?: number;
  lastError?: string;
  conditions: readonly { type: string; holdsUntil: number }[];
  thresholds: readonly {
    threshold: { signal: string; gracePeriodSeconds: number };
    /** What the signal is called: thresholds with the same name and figures share a bar. */
    displayName: string;
    unit: 'bytes' | 'count';
    available?: string;
    capacity?: string;
    level?: string;
    since?: number;
    evictsAt?: number;
  }[];
  signal: string;
  candidates: readonly { namespace: string; name: string; evictable: boolean; reason: string }[];
}

/** What the page needs of an agent; what `createNodeAgent` of `@nodeagent/core` makes fits. All is asked from memory. */
export interface NodePageAgent {
  pods(): readonly PagePod[];
  explain(podUid: string): PagePodExplanation | undefined;
  /** Why the runtime cannot be worked with; empty when it can. */
  runtimeErrors(): readonly string[];
  /** Why the API server cannot be worked with; undefined when it can, and without a cluster. */
  clusterError(): string | undefined;
  pulls(): readonly { image: string; podUid: string; state: 'waiting' | 'pulling'; since: number }[];
  readonly probeResults: ProbeResults;
  /** Undefined where no pod is ever evicted. */
  readonly eviction: { explain(): PageEviction } | undefined;
  /** What happened, for the time line. */
  on(event: 'timeline', listener: (entry: TimelineEntry) => void): void;
  /** Something about the pods is different. */
  on(event: 'status' | 'removed', listener: () => void): void;
  off(event: 'timeline', listener: (entry: TimelineEntry) => void): void;
  off(event: 'status' | 'removed', listener: () => void): void;
}

export interface NodePageSettings {
  /** Path that the page is served under, with a slash at both ends. Default `/ui/`. */
  basePath?: string;
  /** Entries of the time line that are kept, the newest. Default 1000. */
  timelineLength?: number;
  /** Browsers that may watch at the same time; more are told to come back later. Default 16. */
  maxViewers?: number;
  /** Bytes that may wait for a browser that does not read before it is cut off; it comes back by itself. Default 1 MiB. */
  maxBacklogBytes?: number;
  /** How often figures that nothing tells of, such as the pressure, are read while somebody watches, in milliseconds. Default 5000. */
  refreshPeriodMs?: number;
}

/** Options of `createNodePage`. */
export interface NodePageOptions {
  agent: NodePageAgent;
  /** The node's name. */
  nodeName: string;
  /** The runtime's name or endpoint, as it shall be shown. Default: not shown. */
  runtime?: string;
  /** The API server's URL, as it shall be shown. Default: no cluster. */
  cluster?: string;
  settings?: NodePageSettings;
  /** Default: real time. */
  clock?: Clock;
}

export interface ResolvedOptions extends NodePageOptions {
  settings: Required<NodePageSettings>;
  clock: Clock;
}

/** The options with their defaults. Throws `InvalidOption` naming the field. */
export function resolveOptions(options: NodePageOptions): ResolvedOptions {
  const { agent, nodeName, settings = {}, clock = systemClock } = options;
  if (typeof agent?.pods !== 'function') throw invalidOption('agent', 'a node agent', agent);
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'the name of the node', nodeName);
  const { basePath = '/ui/', timelineLength = 1_000, maxViewers = 16, maxBacklogBytes = 1 << 20, refreshPeriodMs = 5_000 } = settings;
  if (!/^\/(?:[^/?#]+\/)*$/.test(basePath)) throw invalidOption('settings.basePath', 'a path with a slash at both ends', basePath);
  requirePositive('settings.timelineLength', timelineLength, { integer: true });
  requirePositive('settings.maxViewers', maxViewers, { integer: true });
  requirePositive('settings.maxBacklogBytes', maxBacklogBytes);
  requirePositive('settings.refreshPeriodMs', refreshPeriodMs);
  return { ...options, clock, settings: { basePath, timelineLength, maxViewers, maxBacklogBytes, refreshPeriodMs } };
}
