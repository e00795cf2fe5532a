import type { Pod } from '../objects/pod.js';
import type { PodStatus } from '../objects/pod-status.js';
import type { PodRuntimeStatus, RuntimePod, SyncReason } from './runtime.js';

export type PodUpdateType = 'create' | 'update' | 'sync' | 'kill';

/** Modifies the statuses that a killed pod reports, from the start of its termination to its last one. */
export type PodStatusFunc = (status: PodStatus) => PodStatus;

export interface KillPodOptions {
  /** Called once when all containers of the pod have stopped. */
  onCompleted?: () => void;
  /** The pod is evicted: the agent removes its content although the API server still has the pod. */
  evict?: boolean;
  podStatusFunc?: PodStatusFunc;
  /** Seconds; replaces the pod's `terminationGracePeriodSeconds`. */
  gracePeriodOverride?: number;
}

/** What triggered an update, for logs and diagnostics. */
export interface PodUpdateCause {
  /**
   * The operation of a pod source (`ADD`, `UPDATE`, ...), a pod lifecycle event (`ContainerDied`, ...), `Due`: periodic resync, `Resize`:
   * the pod's resize was allocated, refused or withdrawn, or `RestartAllContainers`: the pod's containers were removed in order to restart.
   */
  event: string;
  /** The source's name. */
  source?: string;
  /** The runtime's ID of the container or sandbox of the event. */
  containerId?: string;
}

/**
 * One update for a pod worker. Set `pod`, or `runningPod` to kill a pod that only the runtime knows. An update of another type without
 * `pod` is invalid and ignored.
 */
export interface UpdatePodOptions {
  type: PodUpdateType;
  pod?: Pod;
  runningPod?: RuntimePod;
  killOptions?: KillPodOptions;
  /** Wall-clock time in milliseconds at which the cause was observed; for latency metrics. */
  startTime?: number;
  cause?: PodUpdateCause;
}

export type PodWorkerState = 'SyncPod' | 'TerminatingPod' | 'TerminatedPod';

export interface KnownPodWorker {
  state: PodWorkerState;
  /** No longer in the config. */
  orphan: boolean;
  /** The config has or had the pod; false if only the runtime knows it. */
  hasConfig: boolean;
  static: boolean;
}

/**
 * Why a pod terminates: it was deleted, it was evicted, all its containers have exited, or it was `killed` for another reason, for example
 * because its source no longer lists it.
 */
export type TerminationCause = 'deleted' | 'evicted' | 'containersEnded' | 'killed';

/** What a worker records for diagnostics only. Times are wall-clock milliseconds. */
export interface PodWorkerNotes {
  lastUpdate?: { type: PodUpdateType; cause?: PodUpdateCause; at: number };
  lastSync?: PodWorkerLastSync;
  /** The last sync that changed the pod and succeeded. */
  lastChange?: PodWorkerLastSync;
  nextRetryAt?: number;
  /** What the worker is waiting for; absent if it is not waiting. */
  waitingFor?: PodWorkerWait;
}

export interface PodWorkerLastSync {
  work: PodWorkerState;
  /** The update that caused it. */
  updateType: PodUpdateType;
  /** What triggered that update, if its sender set it. */
  cause?: PodUpdateCause;
  startedAt: number;
  /** Absent while the sync runs. */
  endedAt?: number;
  /** Why the sync acted as it did, or did nothing. */
  reasons?: readonly SyncReason[];
  /** The message of the error, if the sync failed. */
  error?: string;
  /** The error's hint, if it has one. */
  hint?: string;
}

/**
 * `runtimeStatus`: a runtime status newer than the last sync; `sync`: the sync in progress; `turn`: an earlier static pod with the same
 * full name.
 */
export type PodWorkerWait = 'runtimeStatus' | 'sync' | 'turn';

/** Explains a pod's state in its worker. */
export interface PodWorkerExplanation extends PodWorkerNotes {
  fullName: string;
  state: PodWorkerState;
  /** One sentence for the user. */
  summary: string;
  finished: boolean;
  /** Set once the pod terminates. */
  terminationCause?: TerminationCause;
  /** Seconds; set once termination was requested. */
  gracePeriod?: number;
  updatePending: boolean;
}

/** Options of `killPodNow`. */
export interface KillPodNowOptions {
  /** The pod is evicted. Default false. */
  evict?: boolean;
  /** Seconds; replaces the pod's `terminationGracePeriodSeconds`. */
  gracePeriodOverride?: number;
  podStatusFunc?: PodStatusFunc;
  /** Cancels the wait, not the kill. */
  signal?: AbortSignal;
}

/** The result of a pod's sync. */
export interface PodSyncOutcome {
  /** All containers of the pod have exited for good; the worker must terminate it. */
  terminal: boolean;
  /** The sync changed the pod, so the worker syncs it again as soon as there is a newer status. */
  changed: boolean;
  /** Why the sync acted as it did, or did nothing; for logs and diagnostics. */
  reasons?: readonly SyncReason[];
  /** An error that did not stop the sync. The worker treats it as if the sync had rejected with it. */
  error?: Error;
}

/** The result of the sync that stopped a pod's containers. */
export interface TerminatingPodOutcome {
  /**
   * The revision of the cache after which a status shows that the containers have stopped. The next sync may use that status. Without it,
   * the next sync waits for a status from after this one.
   */
  stoppedRevision?: number;
}

/**
 * The work of a pod worker. `@nodeagent/core` implements it; tests use a fake. `status` comes from the pod cache. After a sync that failed
 * or changed the pod, the next one waits for a newer status in the cache; if the status has an error, the sync fails. Workers retry failed
 * syncs.
 */
export interface PodSyncer {
  /**
   * Takes the pod one step towards its desired state. Rejects, or resolves with an `error`, if the worker must retry. `signal` aborts when
   * the pod is to terminate or the workers stop.
   */
  syncPod(type: PodUpdateType, pod: Pod, status: PodRuntimeStatus, signal: AbortSignal): Promise<PodSyncOutcome>;
  /**
   * Stops the pod's containers; resolves when none is running. The grace period is in seconds: the shortest requested one, else the pod's
   * own. `podStatusFunc` comes from the last kill that had one. `signal` aborts when the grace period becomes shorter, or when the workers
   * stop; reject with its reason, and the worker calls the sync again with the shorter grace period.
   */
  syncTerminatingPod(
    pod: Pod,
    status: PodRuntimeStatus,
    gracePeriodOverride: number | undefined,
    podStatusFunc: PodStatusFunc | undefined,
    signal: AbortSignal,
    // biome-ignore lint/suspicious/noConfusingVoidType: a sync without an outcome needs no return
  ): Promise<TerminatingPodOutcome | void>;
  /** As {@link syncTerminatingPod}, for a pod that only the runtime knows. */
  syncTerminatingRuntimePod(running: RuntimePod, signal: AbortSignal): Promise<void>;
  /**
   * Releases the resources of a terminated pod, such as volumes and cgroups. `podStatusFunc` is that of the sync that stopped its
   * containers.
   */
  syncTerminatedPod(pod: Pod, status: PodRuntimeStatus, signal: AbortSignal, podStatusFunc?: PodStatusFunc): Promise<void>;
}

/**
 * One worker per pod, with one sync at a time; pods sync independently. A terminating pod never returns to running. Static pods with the
 * same full name run one after the other: the next starts once the previous has finished.
 *
 * All queries are answered from memory, without waiting. Before the first {@link PodWorkers.syncKnownPods}, a pod without a worker may be
 * running; afterwards it is not. The queries answer accordingly.
 */
export interface PodWorkers {
  /**
   * Never blocks: a newer update replaces a pending one. A kill, a deletion timestamp or a terminal phase terminates the pod and cancels
   * its sync; so does a shorter grace period of a terminating pod. `create` for a terminating pod only records that the pod is to be re-created after {@link syncKnownPods} has removed its
   * worker.
   */
  updatePod(options: UpdatePodOptions): void;
  /**
   * Synchronises the workers with the desired pods of the config: terminates the pods that are no longer desired, and removes the workers
   * of those that have finished or never started, and of finished pods that were created again. Returns the remaining workers by pod UID.
   */
  syncKnownPods(desired: readonly Pod[]): Map<string, KnownPodWorker>;
  /** Whether the pod's containers have stopped for good; false for a pod without a worker. */
  isPodKnownTerminated(uid: string): boolean;
  couldHaveRunningContainers(uid: string): boolean;
  /** Whether the pod has terminated and its resources are released. */
  shouldPodBeFinished(uid: string): boolean;
  /** Whether the pod is terminating or terminated; false for a pod without a worker. */
  isPodTerminationRequested(uid: string): boolean;
  /** Whether a sync has started to stop the pod's containers, or they have stopped: no container may start. */
  shouldPodContainersBeTerminating(uid: string): boolean;
  /** Whether the pod's containers have stopped for good, so that they and their sandbox may be removed. */
  shouldPodRuntimeBeRemoved(uid: string): boolean;
  /**
   * Whether the pod was evicted, or was deleted and its containers have stopped, so that its dead containers and their logs may be removed.
   */
  shouldPodContentBeRemoved(uid: string): boolean;
  /** Whether the running static pod with this full name, `<name>_<namespace>`, is terminating but not terminated. */
  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean;
  /**
   * Kills the pod and resolves when its containers have stopped. For eviction and preemption. Rejects with code `KillPodTimeout` if they
   * still run after 1.5 times the grace period (at least 10 s), or with the signal's reason; the kill continues.
   */
  killPodNow(pod: Pod, options?: KillPodNowOptions): Promise<void>;
  /** The pod's state in its lifecycle; undefined for an unknown pod. */
  state(uid: string): PodWorkerState | undefined;
  /** Why the pod is in that state; undefined for an unknown pod. */
  explain(uid: string): PodWorkerExplanation | undefined;
  /** Starts no further syncs, cancels those that can be cancelled and waits for all. Ignores later updates. Idempotent. */
  stop(): Promise<void>;
}
