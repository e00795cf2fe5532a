import type { Pod } from '../objects/pod.js';
import type { PodStatus } from '../objects/pod-status.js';
import type { PodRuntimeStatus, RuntimePod, SyncReason } from './runtime.js';

export type PodUpdateType = 'create' | 'update' | 'sync' | 'kill';

/** Changes the status that an evicted pod reports. */
export type PodStatusFunc = (status: PodStatus) => PodStatus;

export interface KillPodOptions {
  /** Called once when all containers of the pod have stopped. */
  onCompleted?: () => void;
  /** The pod leaves for good: its content is removed though its config is still there. */
  evict?: boolean;
  podStatusFunc?: PodStatusFunc;
  /** Seconds, instead of the pod's own. */
  gracePeriodOverride?: number;
}

/** What made somebody ask a pod worker for something; for people. */
export interface PodUpdateCause {
  /**
   * What a pod source did (`ADD`, `UPDATE`, ...), a pod lifecycle event (`ContainerDied`, ...), `Due`: periodic resync, `Resize`: a
   * resize of the pod was granted, refused or withdrawn, or `RestartAllContainers`: the pod's containers were removed to be restarted.
   */
  event: string;
  /** The source's name. */
  source?: string;
  /** The runtime's id of the container or sandbox that the event is about. */
  containerId?: string;
}

/**
 * One request to a pod worker. `pod` or, for a kill of what only the runtime knows, `runningPod`; without `pod` any other type is
 * illegal and ignored.
 */
export interface UpdatePodOptions {
  type: PodUpdateType;
  pod?: Pod;
  runningPod?: RuntimePod;
  killOptions?: KillPodOptions;
  /** Clock time in milliseconds at which the cause was seen; for latency metrics. */
  startTime?: number;
  cause?: PodUpdateCause;
}

export type PodWorkerState = 'SyncPod' | 'TerminatingPod' | 'TerminatedPod';

export interface KnownPodWorker {
  state: PodWorkerState;
  /** No longer in the config. */
  orphan: boolean;
  /** Has been seen in the config, not only in the runtime. */
  hasConfig: boolean;
  static: boolean;
}

/**
 * Why a pod ends: its deletion, an eviction, its containers have ended by themselves, or it was `killed` otherwise, as is a pod that no
 * source wants any more.
 */
export type PodWorkerEnd = 'deleted' | 'evicted' | 'containersEnded' | 'killed';

/** What a worker notes beside its record, only to tell it. Times are milliseconds of the wall clock. */
export interface PodWorkerNotes {
  lastUpdate?: { type: PodUpdateType; cause?: PodUpdateCause; at: number };
  lastSync?: PodWorkerLastSync;
  /** The last sync that did something, without an error. */
  lastChange?: PodWorkerLastSync;
  nextRetryAt?: number;
  /** What the worker waits for right now, if it waits. */
  waitingFor?: PodWorkerWait;
}

export interface PodWorkerLastSync {
  work: PodWorkerState;
  /** The update that caused it. */
  updateType: PodUpdateType;
  /** What brought that update about, if its sender told. */
  cause?: PodUpdateCause;
  startedAt: number;
  /** Absent while it runs. */
  endedAt?: number;
  /** Why it did what it did, or nothing. */
  reasons?: readonly SyncReason[];
  /** The error's text, if it failed. */
  error?: string;
  /** What the user can do about the error, where it says so. */
  hint?: string;
}

/** `runtimeStatus`: a look at the runtime after the last sync; `sync`: the sync itself; `turn`: an earlier static pod of that name. */
export type PodWorkerWait = 'runtimeStatus' | 'sync' | 'turn';

/** Why a pod is where it is. */
export interface PodWorkerExplanation extends PodWorkerNotes {
  fullName: string;
  state: PodWorkerState;
  /** One sentence for a person. */
  summary: string;
  finished: boolean;
  /** Only once the pod ends. */
  endsBecause?: PodWorkerEnd;
  /** Seconds; only once termination was requested. */
  gracePeriod?: number;
  updatePending: boolean;
}

/** How `killPodNow` kills. */
export interface KillPodNowOptions {
  /** The pod leaves for good. Default false. */
  evict?: boolean;
  /** Seconds, instead of the pod's own. */
  gracePeriodOverride?: number;
  podStatusFunc?: PodStatusFunc;
  /** Ends the wait, not the kill. */
  signal?: AbortSignal;
}

/** How the sync of a living pod went. */
export interface PodSyncOutcome {
  /** The pod has ended by itself and must be torn down. */
  terminal: boolean;
  /** Something was done: look at the pod again soon. */
  changed: boolean;
  /** Why it was done, or why nothing was; for people. */
  reasons?: readonly SyncReason[];
  /** What failed though the sync went on; counts as if the sync had rejected with it. */
  error?: Error;
}

/**
 * What a worker does; the agent's core implements it, a test a fake. `status` comes from the pod cache. After a sync that failed or changed
 * the pod, the next one waits there for a status seen since; a status that cannot be had fails the sync. What fails is tried again.
 */
export interface PodSyncer {
  /**
   * Takes the pod one step towards what is wanted of it. Rejects, or resolves with an `error`, if it is to be tried again soon. `signal`
   * aborts once the pod is to end, or the workers stop.
   */
  syncPod(type: PodUpdateType, pod: Pod, status: PodRuntimeStatus, signal: AbortSignal): Promise<PodSyncOutcome>;
  /**
   * Stops the pod's containers; resolves when none is running. Not cancellable. The grace period is in seconds: the shortest that was asked
   * for, else the pod's own. The function is that of the last kill that had one.
   */
  syncTerminatingPod(
    pod: Pod,
    status: PodRuntimeStatus,
    gracePeriodOverride: number | undefined,
    podStatusFunc: PodStatusFunc | undefined,
  ): Promise<void>;
  /** The same for a pod that only the runtime knows. */
  syncTerminatingRuntimePod(running: RuntimePod): Promise<void>;
  /** Releases what the ended pod still holds. */
  syncTerminatedPod(pod: Pod, status: PodRuntimeStatus, signal: AbortSignal): Promise<void>;
}

/**
 * One worker a pod, with one sync at a time; pods do not wait for each other. A pod never goes back from terminating to running. Of the
 * static pods of one name only one runs: the next begins once the one before has finished.
 *
 * All questions are answered from memory, without waiting. A pod without a worker may be running until
 * {@link PodWorkers.syncKnownPods} was called once, after that it cannot be; the answers about it follow from that.
 */
export interface PodWorkers {
  /**
   * Never blocks: a newer update replaces one that is still waiting. A pod ends at a kill, with a deletion timestamp or in a terminal
   * phase; that cancels its sync. `create` for a pod that ends only notes that it is to restart once {@link syncKnownPods} forgot it.
   */
  updatePod(options: UpdatePodOptions): void;
  /**
   * Tells which pods the config wants: ends the others, forgets finished ones, and those that never began, that it does not want, and
   * finished ones that were created again. Returns the workers that are left, by pod uid.
   */
  syncKnownPods(desired: readonly Pod[]): Map<string, KnownPodWorker>;
  /** Its containers have stopped for good; false for a pod without a worker. */
  isPodKnownTerminated(uid: string): boolean;
  couldHaveRunningContainers(uid: string): boolean;
  /** Nothing remains to be done for it. */
  shouldPodBeFinished(uid: string): boolean;
  /** Its end was decided, be it over or not; false for a pod without a worker. */
  isPodTerminationRequested(uid: string): boolean;
  /** A sync has begun to stop its containers, or they are stopped: none may be started. */
  shouldPodContainersBeTerminating(uid: string): boolean;
  /** Its containers have stopped for good: they and their sandbox may be removed. */
  shouldPodRuntimeBeRemoved(uid: string): boolean;
  /** It was evicted, or it was deleted and its containers have stopped: its dead containers and their logs need not be kept. */
  shouldPodContentBeRemoved(uid: string): boolean;
  /** The static pod of that name, `<name>_<namespace>`, that has the turn is ending but has not ended. */
  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean;
  /**
   * Kills the pod and resolves when its containers have stopped. Rejects with code `KillPodTimeout` if they have not after one and a
   * half times the grace period (at least 10 s), or with the signal's reason; the kill goes on. For eviction and preemption.
   */
  killPodNow(pod: Pod, options?: KillPodNowOptions): Promise<void>;
  /** Where the pod is in its life; undefined for an unknown one. */
  state(uid: string): PodWorkerState | undefined;
  /** Why it is there; undefined for an unknown one. */
  explain(uid: string): PodWorkerExplanation | undefined;
  /** Begins no more syncs, cancels those that can be cancelled and waits for all. Later updates are ignored. Idempotent. */
  stop(): Promise<void>;
}
