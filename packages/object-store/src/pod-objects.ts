import type { KubeObject, Pod } from '@nodeagent/api';

/** The objects of one kind that the pods of this node refer to. */
export interface PodObjects<T extends KubeObject> {
  /** Adds references to the pod's objects. Call it again when the pod changes. Does not block. */
  registerPod(pod: Pod): void;
  /** Removes the references; objects without references are dropped. Idempotent. */
  unregisterPod(pod: Pod): void;
  /**
   * Reads the object, which is shared and must not be changed. Rejects with `ApiError` of reason `NotFound` if it does not exist, with
   * `ObjectNotRegistered` if no registered pod refers to it, with a retryable error if the API server does not respond in time, and
   * with the signal's reason.
   */
  get(namespace: string, name: string, signal?: AbortSignal): Promise<T>;
}
