import type { Pod, PodRuntimeStatus, PodStatusFunc, PodWorkerState, RuntimePod, TerminationCause, UpdatePodOptions } from '@nodeagent/api';

/** The kill options without their callbacks, which the record holds. */
export interface KillSettings {
  evict?: boolean;
  /** Seconds. */
  gracePeriodOverride?: number;
}

/** The update of the last sync, which is repeated when the pod is synced again without a new one. */
export interface ActiveUpdate {
  readonly pod?: Pod;
  readonly runningPod?: RuntimePod;
  readonly killOptions?: KillSettings;
}

/**
 * A worker's record of its pod. Records are immutable: each transition creates a new one. Times are wall-clock milliseconds; decisions
 * depend only on their presence.
 */
export interface PodWorkerRecord {
  /** `<name>_<namespace>`. */
  readonly fullName: string;
  /** When the first update arrived. */
  readonly syncedAt: number;
  /** When its first sync started. */
  readonly startedAt?: number;
  /** When its termination was requested. */
  readonly terminatingAt?: number;
  /** Why; for diagnostics. */
  readonly terminationCause?: TerminationCause;
  /** When all its containers had stopped. */
  readonly terminatedAt?: number;
  /** Whether a sync has started to stop its containers. */
  readonly startedTerminating: boolean;
  /** Whether the pod has terminated and its resources are released; the record stays until the config drops the pod. */
  readonly finished: boolean;
  /** The effective grace period in seconds; 0 before termination. */
  readonly gracePeriod: number;
  /** Whether the pod was deleted: in the API server, in the config, or as a pod that only the runtime knew. */
  readonly deleted: boolean;
  readonly evicted: boolean;
  /** Whether a pod with the same UID was created again while this one was terminating. */
  readonly restartRequested: boolean;
  /** Whether the runtime had the pod while the config did not. */
  readonly observedRuntime: boolean;
  /** Whether a sync is running or queued. */
  readonly working: boolean;
  /** The update for the next sync. */
  readonly pending?: UpdatePodOptions;
  readonly active?: ActiveUpdate;
  /** Callbacks to call once the pod's containers have stopped. */
  readonly onCompleted: readonly (() => void)[];
  /** The last registered function. */
  readonly podStatusFunc?: PodStatusFunc;
  /** The one of the last sync that stopped containers. One that is registered after the containers have stopped changes nothing. */
  readonly usedPodStatusFunc?: PodStatusFunc;
}

/** Called once when a pod's containers have stopped. */
export type CompletionCallback = () => void;

export function newRecord(fullName: string, now: number): PodWorkerRecord {
  return {
    fullName,
    syncedAt: now,
    startedTerminating: false,
    finished: false,
    gracePeriod: 0,
    deleted: false,
    evicted: false,
    restartRequested: false,
    observedRuntime: false,
    working: false,
    onCompleted: noCallbacks,
  };
}

/** The shared empty list, because most workers have no callbacks. */
export const noCallbacks: readonly CompletionCallback[] = [];

/** The state of the pod, which determines its next sync. A pod never returns to an earlier state. */
export function podWorkerState({ terminatingAt, terminatedAt }: Pick<PodWorkerRecord, 'terminatingAt' | 'terminatedAt'>): PodWorkerState {
  if (terminatedAt !== undefined) return 'TerminatedPod';
  return terminatingAt !== undefined ? 'TerminatingPod' : 'SyncPod';
}

/** Whether the pod is terminating or terminated. */
export function isTerminationRequested(record: Pick<PodWorkerRecord, 'terminatingAt'>): boolean {
  return record.terminatingAt !== undefined;
}

/** Whether a pod with this runtime status has terminated: no container runs and no sandbox is ready. */
export function isRuntimeStatusTerminal(status: Pick<PodRuntimeStatus, 'containerStatuses' | 'sandboxStatuses'>): boolean {
  return (
    status.containerStatuses.every(({ state }) => state !== 'running') && status.sandboxStatuses.every(({ state }) => state !== 'ready')
  );
}

/** Queues the last update again, as a plain sync, unless an update is pending or the pod was never synced. */
export function requeueLastUpdate(record: PodWorkerRecord): PodWorkerRecord {
  if (record.pending !== undefined || record.active === undefined) return record;
  return { ...record, pending: { type: 'sync', ...record.active }, working: true };
}
