import type { PodStatus } from '../objects/pod-status.js';

/** The last accepted status of a pod. Entries are immutable; a new version is a new entry. */
export interface VersionedPodStatus {
  readonly status: PodStatus;
  /** 1 for a pod's first status, one more with each accepted one. */
  readonly version: number;
  readonly podName: string;
  readonly podNamespace: string;
  /** Wall-clock time in milliseconds at which the pod's first status was accepted. */
  readonly at: number;
  /**
   * Whether the pod's worker has finished: the node holds no resources of the pod any more. It is then the pod's last status, with the
   * phase `Failed` or `Succeeded`. A static pod that its source still has is the exception: its phase is not final and it can restart,
   * after which its statuses are not finished again.
   */
  readonly podIsFinished: boolean;
}

/** The read side of the status cache, by UID of the pods on this node. UIDs of mirror pods are translated to those of their static pods. */
export interface StatusVersions {
  versionedStatus(uid: string): VersionedPodStatus | undefined;
  /** A live view: the iteration may include entries that are added meanwhile. */
  versionedStatuses(): IterableIterator<[uid: string, entry: VersionedPodStatus]>;
  /** Removes a status, for example of a pod that was deleted or replaced in the API server. */
  forgetPodStatus(uid: string): void;
}

/**
 * Sends statuses to a destination such as the API server. The status manager starts and stops it. It retries failed sends until it is
 * stopped. For each pod it sends the newest status last and may skip intermediate ones.
 */
export interface StatusSink {
  /**
   * Sends the current statuses and all later ones. Does not wait for an unreachable destination. Idempotent. When `signal` aborts, the
   * manager calls {@link stop}.
   */
  start(statuses: StatusVersions, signal?: AbortSignal): Promise<void>;
  /**
   * Marks a pod whose status has a new version. Called only while started. Must not block or throw, also for an unknown pod. The last call
   * for a pod is that of the status with `podIsFinished`. Read the status of a removed pod during the call: the
   * status manager then forgets it.
   */
  statusChanged(uid: string): void;
  /** Stops and waits for the sends in flight, which it may abort; sends nothing after it has resolved. Idempotent. */
  stop(): Promise<void>;
}
