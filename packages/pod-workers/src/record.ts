import type { Pod, PodRuntimeStatus, PodStatusFunc, PodWorkerEnd, PodWorkerState, RuntimePod, UpdatePodOptions } from '@nodeagent/api';

/** What remains of kill options once their callbacks are with the record. */
export interface KillSettings {
  evict?: boolean;
  /** Seconds. */
  gracePeriodOverride?: number;
}

/** The last update that a sync began with: what is replayed when the pod is synced again without a new one. */
export interface ActiveUpdate {
  readonly pod?: Pod;
  readonly runningPod?: RuntimePod;
  readonly killOptions?: KillSettings;
}

/**
 * What a worker knows of its pod. Records are never changed: each transition makes the next one. Times are milliseconds of the wall
 * clock, and only their presence decides anything.
 */
export interface PodWorkerRecord {
  /** `<name>_<namespace>`. */
  readonly fullName: string;
  /** When the pod was first heard of. */
  readonly syncedAt: number;
  /** When its first sync began. */
  readonly startedAt?: number;
  /** When its end was decided. */
  readonly terminatingAt?: number;
  /** Why; for people. */
  readonly endsBecause?: PodWorkerEnd;
  /** When its last container had stopped. */
  readonly terminatedAt?: number;
  /** Whether a sync has begun to stop its containers. */
  readonly startedTerminating: boolean;
  /** Whether nothing remains to be done; the record stays until the config forgets the pod. */
  readonly finished: boolean;
  /** Seconds in force; 0 before termination. */
  readonly gracePeriod: number;
  /** Whether the pod's end is a deletion, be it from the API server, from the config or from a runtime that still ran it. */
  readonly deleted: boolean;
  readonly evicted: boolean;
  /** Whether a pod of the same UID was created again while this one ended. */
  readonly restartRequested: boolean;
  /** Whether the runtime had the pod though the config did not. */
  readonly observedRuntime: boolean;
  /** Whether a sync is running or due. */
  readonly working: boolean;
  /** The update that the next sync takes. */
  readonly pending?: UpdatePodOptions;
  readonly active?: ActiveUpdate;
  /** To be called once the pod's containers have stopped. */
  readonly onCompleted: readonly (() => void)[];
  /** The one registered last. */
  readonly podStatusFunc?: PodStatusFunc;
}

/** A callback that waits for a pod's containers to stop. */
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

/** Most workers never have one: they share this list. */
export const noCallbacks: readonly CompletionCallback[] = [];

/** What the next sync of the pod does. A pod never goes back. */
export function podWorkerState({ terminatingAt, terminatedAt }: Pick<PodWorkerRecord, 'terminatingAt' | 'terminatedAt'>): PodWorkerState {
  if (terminatedAt !== undefined) return 'TerminatedPod';
  return terminatingAt !== undefined ? 'TerminatingPod' : 'SyncPod';
}

/** Whether the pod's end was decided, be it over or not. */
export function isTerminationRequested(record: Pick<PodWorkerRecord, 'terminatingAt'>): boolean {
  return record.terminatingAt !== undefined;
}

/** Whether a pod of which the runtime has this left has ended: no container runs and no sandbox is ready. */
export function isRuntimeStatusTerminal(status: Pick<PodRuntimeStatus, 'containerStatuses' | 'sandboxStatuses'>): boolean {
  return (
    status.containerStatuses.every(({ state }) => state !== 'running') && status.sandboxStatuses.every(({ state }) => state !== 'ready')
  );
}

/** Queues the last update once more, as a plain sync, unless one waits already or the pod never began. */
export function requeueLastUpdate(record: PodWorkerRecord): PodWorkerRecord {
  if (record.pending !== undefined || record.active === undefined) return record;
  return { ...record, pending: { type: 'sync', ...record.active }, working: true };
}
