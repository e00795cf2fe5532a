import type { KubeObject, Pod } from '@nodeagent/api';

/** The objects of one kind that the pods of this node refer to. */
export interface PodObjects<T extends KubeObject> {
  /** From now on the pod's objects are kept; again with the pod's newest version when it changes. Does not wait. */
  registerPod(pod: Pod): void;
  /** The pod's objects are kept no longer, unless other pods refer to them. Idempotent. */
  unregisterPod(pod: Pod): void;
  /**
   * The object, shared with others and not to be changed. Rejects with `ApiError` of reason `NotFound` if there is none, with
   * `ObjectNotRegistered` if no registered pod refers to it, with a retryable error if the API server does not answer in time, and
   * with the signal's reason.
   */
  get(namespace: string, name: string, signal?: AbortSignal): Promise<T>;
}
