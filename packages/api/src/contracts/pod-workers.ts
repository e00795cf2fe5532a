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

/** One request to a pod worker. `pod` or, for a kill of what only the runtime knows, `runningPod`. */
export interface UpdatePodOptions {
  type: PodUpdateType;
  pod?: Pod;
  mirrorPod?: Pod;
  runningPod?: RuntimePod;
  killOptions?: KillPodOptions;
  /** Clock time in milliseconds at which the cause was seen; for latency metrics. */
  startTime?: number;
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

/** What a worker does; the agent's core implements it, a test a fake. */
export interface PodSyncer {
  /** Takes the pod one step towards what is wanted of it. Rejects, or resolves with an `error`, if it is to be tried again soon. */
  syncPod(
    type: PodUpdateType,
    pod: Pod,
    mirrorPod: Pod | undefined,
    status: PodRuntimeStatus,
    signal: AbortSignal,
  ): Promise<PodSyncOutcome>;
  /** Stops the pod's containers; resolves when none is running. Not cancellable. */
  syncTerminatingPod(
    pod: Pod,
    status: PodRuntimeStatus,
    gracePeriodOverride: number | undefined,
    podStatusFunc: PodStatusFunc | undefined,
  ): Promise<void>;
  syncTerminatingRuntimePod(running: RuntimePod): Promise<void>;
  /** Releases what the ended pod still holds. */
  syncTerminatedPod(pod: Pod, status: PodRuntimeStatus, signal: AbortSignal): Promise<void>;
}

/** One worker a pod. All questions are answered from memory, without waiting. */
export interface PodWorkers {
  /** Never blocks: a newer update replaces one that is still waiting. */
  updatePod(options: UpdatePodOptions): void;
  /** Tells which pods the config wants; forgets finished ones that it does not. */
  syncKnownPods(desired: readonly Pod[]): Map<string, KnownPodWorker>;
  isPodKnownTerminated(uid: string): boolean;
  couldHaveRunningContainers(uid: string): boolean;
  shouldPodBeFinished(uid: string): boolean;
  isPodTerminationRequested(uid: string): boolean;
  shouldPodContainersBeTerminating(uid: string): boolean;
  shouldPodRuntimeBeRemoved(uid: string): boolean;
  shouldPodContentBeRemoved(uid: string): boolean;
  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean;
}
