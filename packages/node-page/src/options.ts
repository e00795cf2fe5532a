import {
  type Clock,
  invalidOption,
  type Pod,
  type PodStatus,
  type PodUpdateCause,
  type PodWorkerState,
  type ProbeResults,
  requirePositive,
  type SummarySource,
  type SyncReason,
  systemClock,
  type TimelineEntry,
} from '@nodeagent/api';

/** The agent's view of a pod. */
export interface PagePod {
  pod: Pod;
  status: PodStatus;
  state: PodWorkerState | undefined;
}

/** A sync of a pod's worker. Times are milliseconds since 1970. */
export interface PageSync {
  startedAt: number;
  /** Absent during the sync. */
  endedAt?: number;
  cause?: PodUpdateCause;
  reasons?: readonly SyncReason[];
  error?: string;
}

/** What the pod's worker did last, why, and what it does next. */
export interface PagePodExplanation {
  terminationCause?: 'deleted' | 'evicted' | 'containersEnded' | 'killed';
  lastSync?: PageSync;
  lastChange?: PageSync;
  nextRetryAt?: number;
  backOffs: readonly { container: string; reason: string; until: number }[];
}

/** What the resource managers assigned to a container. */
export interface PageAssignment {
  containerName: string;
  /** Exclusive CPUs, such as `2-3`. */
  cpus?: string;
  /** NUMA nodes of its memory. */
  memoryNumaNodes?: readonly number[];
  /** Ids of devices by resource. */
  devices?: Readonly<Record<string, readonly string[]>>;
}

/** The device plugins of the node. */
export interface PageDevices {
  resources: readonly {
    resource: string;
    isConnected: boolean;
    devices: readonly { id: string; health: string }[];
  }[];
  /** Ids of devices by NUMA node; a device may be listed with several. */
  containers: readonly { podUID: string; containerName: string; resource: string; devices: Readonly<Record<number, readonly string[]>> }[];
}

/** A device that a DRA driver prepared. */
export interface PageClaimDevice {
  poolName: string;
  deviceName: string;
  /** `Unknown` without a report of the driver. */
  health?: 'Healthy' | 'Unhealthy' | 'Unknown';
  message?: string;
}

/** The DRA drivers of the node, and the ResourceClaims of its pods. */
export interface PageDynamicResources {
  /** Instances of drivers: two of the same name while a driver is updated. */
  drivers: readonly { driver: string; isConnected: boolean }[];
  claims: readonly {
    namespace: string;
    claimName: string;
    podUIDs: readonly string[];
    isPrepared: boolean;
    /** Prepared devices by driver. Default of the health: not known. */
    drivers: Readonly<Record<string, readonly PageClaimDevice[]>>;
  }[];
}

/** The pressure of the node. Amounts are quantities, times milliseconds since 1970. */
export interface PageEviction {
  evaluatedAt?: number;
  lastError?: string;
  conditions: readonly { type: string; holdsUntil: number }[];
  thresholds: readonly {
    signal: string;
    gracePeriodSeconds: number;
    /** Name of the signal: thresholds with the same name and usage share a bar. */
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

/** An image in the plan of the garbage collection. */
export interface PageImage {
  id: string;
  /** Bytes. */
  size: number;
  action: 'remove' | 'keep';
  reason: 'TooOld' | 'FreesSpace' | 'InUse' | 'Pinned' | 'TooYoung' | 'JustUsed' | 'NotNeeded';
}

/** An event of a pod. Times are milliseconds since 1970. */
export interface PageEvent {
  at: number;
  count: number;
  type: string;
  reason: string;
  message: string;
}

/**
 * The part of an agent that the page reads; the agent of `createNodeAgent` of `@nodeagent/core` implements it. Calls must answer from
 * memory.
 */
export interface NodePageAgent {
  pods(): readonly PagePod[];
  explain(podUid: string): PagePodExplanation | undefined;
  /** CPUs, memory and devices of the pod's containers. Default: no container has its own. */
  podAssignments?(podUid: string): { containers: readonly PageAssignment[] } | undefined;
  /** Default: devices are not shown. */
  devicePlugins?(): PageDevices | undefined;
  /** Default: claims are shown as the pods name them. */
  dynamicResources?(): PageDynamicResources | undefined;
  /** Why the runtime is not ready; empty when it is. */
  runtimeErrors(): readonly string[];
  /** Why the API server does not serve the agent; undefined while it does, and without a cluster. */
  clusterError(): string | undefined;
  pulls(): readonly { image: string; podUid: string; state: 'waiting' | 'pulling'; since: number }[];
  readonly probeResults: ProbeResults;
  /** Undefined without eviction. */
  readonly eviction: { explain(): PageEviction } | undefined;
  /** The last events of a pod, oldest first. Default: none. */
  events?(podUid: string): readonly PageEvent[];
  /** The plan of an image garbage collection at this time. Default: images are not shown. */
  readonly imageGc?: { plan(): Promise<{ images: readonly PageImage[]; freedBytes: number }> };
  /** Resource usage; undefined without a source of stats. */
  readonly stats?: SummarySource | undefined;
  /** Entries of the timeline. */
  on(event: 'timeline', listener: (entry: TimelineEntry) => void): void;
  /** Changes of pods, with the pod; without it the page compares all. */
  on(event: 'status' | 'removed', listener: (pod?: Pod) => void): void;
  off(event: 'timeline', listener: (entry: TimelineEntry) => void): void;
  off(event: 'status' | 'removed', listener: (pod?: Pod) => void): void;
}

export interface NodePageSettings {
  /** Path of the page, with a slash at both ends. Default `/ui/`. */
  basePath?: string;
  /** Maximum number of timeline entries. Default 1000. */
  timelineLength?: number;
  /** Maximum number of connected browsers; more get 503. Default 16. */
  maxViewers?: number;
  /** Maximum number of buffered bytes for a browser that does not read; it is then disconnected and reconnects. Default 1 MiB. */
  maxBacklogBytes?: number;
  /** Period at which values without events, such as pressure, are read while a browser is connected, in milliseconds. Default 15000. */
  refreshPeriodMs?: number;
  /**
   * Period at which the usage of the node and its pods is sampled while a browser is connected and ten minutes longer, in milliseconds. An
   * hour of samples is kept in memory. Default 15000.
   */
  samplePeriodMs?: number;
}

/** Options of `createNodePage`. */
export interface NodePageOptions {
  agent: NodePageAgent;
  /** The node's name. */
  nodeName: string;
  /** Name or endpoint of the runtime to show. Default: not shown. */
  runtime?: string;
  /** URL of the API server to show. Default: no cluster. */
  cluster?: string;
  /** Version of the agent to show. Default: not shown. */
  version?: string;
  /** The node's addresses to show. Default: not shown. */
  addresses?: readonly string[];
  settings?: NodePageSettings;
  /** Default: the system clock. */
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
  const { basePath = '/ui/', timelineLength = 1_000, maxViewers = 16, maxBacklogBytes = 1 << 20 } = settings;
  const { refreshPeriodMs = 15_000, samplePeriodMs = 15_000 } = settings;
  if (!/^\/(?:[^/?#]+\/)*$/.test(basePath)) throw invalidOption('settings.basePath', 'a path with a slash at both ends', basePath);
  requirePositive('settings.timelineLength', timelineLength, { integer: true });
  requirePositive('settings.maxViewers', maxViewers, { integer: true });
  requirePositive('settings.maxBacklogBytes', maxBacklogBytes);
  requirePositive('settings.refreshPeriodMs', refreshPeriodMs);
  requirePositive('settings.samplePeriodMs', samplePeriodMs);
  return { ...options, clock, settings: { basePath, timelineLength, maxViewers, maxBacklogBytes, refreshPeriodMs, samplePeriodMs } };
}
