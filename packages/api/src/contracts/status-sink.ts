import type { PodStatus } from '../objects/pod-status.js';

/** A status as it was last accepted. Entries are shared and never changed: a new version is a new entry. */
export interface VersionedPodStatus {
  readonly status: PodStatus;
  /** 1 for a pod's first status, one more with each accepted one. */
  readonly version: number;
  readonly podName: string;
  readonly podNamespace: string;
  /** Clock time in milliseconds at which the pod's first status was accepted. */
  readonly at: number;
  /** The pod's worker is through: nothing of the pod is left on the node. */
  readonly podIsFinished: boolean;
}

/** The cache as its reader sees it: by UID of the pods on this node, mirrors translated to their static pods. */
export interface StatusVersions {
  versionedStatus(uid: string): VersionedPodStatus | undefined;
  /** A live view: entries that are added while reading may be seen. */
  versionedStatuses(): IterableIterator<[uid: string, entry: VersionedPodStatus]>;
  /** Drops a status, as of a pod that is gone from the API server or was replaced there. */
  forgetPodStatus(uid: string): void;
}

/**
 * Carries statuses elsewhere, as to the API server; started and stopped with the manager. What cannot be carried now is tried again until
 * the end. Of each pod the newest status arrives last; those between may be left out.
 */
export interface StatusSink {
  /**
   * Begins to carry what there is and what comes; does not wait for a destination that is away. Idempotent. When `signal` aborts the
   * manager calls {@link stop}.
   */
  start(statuses: StatusVersions, signal?: AbortSignal): Promise<void>;
  /** A pod's status has a new version. Called while started only; must not block or throw, also for an unknown pod: it marks work to be done. */
  statusChanged(uid: string): void;
  /** Ends and waits for what is in flight, which it may cut short; nothing is carried after it has resolved. Idempotent. */
  stop(): Promise<void>;
}
