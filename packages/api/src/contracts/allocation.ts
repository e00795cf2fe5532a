import type { Pod } from '../objects/pod.js';
import type { PodCondition } from '../objects/pod-status.js';
import type { Startable } from './lifecycle.js';
import type { PodAdmitResult } from './pod-admission.js';

/** Why pending resizes are retried: label `retry_trigger` of the metric `kubelet_pod_deferred_accepted_resizes_total`. */
export type RetryTrigger = 'pods_added' | 'pod_updated' | 'pods_removed' | 'pod_terminated' | 'pod_resized' | 'periodic_retry';

/** Admits pods, stores the resources allocated to each pod, and decides on in-place resizes. */
export interface AllocationManager extends Startable {
  /**
   * Loads the stored allocations and starts the periodic retry of pending resizes. Other calls work without it; pending resizes are then
   * decided only by {@link retryPendingResizes}.
   */
  start(signal?: AbortSignal): Promise<void>;
  /**
   * Admits a pod of a source: calls the admit handlers in order until one refuses. An admitted pod is allocated what its spec requests, or
   * keeps the allocation that it already has; a refused pod gets none. The active pods may already include the pod. The allocation
   * applies at once; create no container before {@link saved} resolves. Calls run one at a time, in call order. Rejects only with the reason
   * for which the manager stopped.
   */
  addPod(pod: Pod): Promise<PodAdmitResult>;
  /** Resolves when the allocations so far are stored, or storing them has failed. Never rejects. Default: {@link addPod} resolves after that. */
  saved?(): Promise<void>;
  /**
   * The pod with its allocated resources in place of the requested ones; the same object if it has no allocation. A view, do not change it.
   * Answered from memory.
   */
  updatePodFromAllocation(pod: Pod): Pod;
  /**
   * Records that a pod's spec may request other resources than it was allocated. Returns whether {@link retryPendingResizes} has something
   * to decide.
   */
  pushPendingResize(pod: Pod): boolean;
  /**
   * Whether the pod's spec requests other resources than it was allocated and this generation has no decision: it is neither allocated nor
   * in the condition `PodResizePending`. Takes the pod as its source has it, with the requested resources.
   */
  isResizeUndecided(pod: Pod): boolean;
  /**
   * Decides on the pending resizes in order: allocates one that fits, keeps one that is `Deferred` pending, and drops one that is
   * `Infeasible` or was withdrawn. Cheap if none is pending. Never rejects.
   */
  retryPendingResizes(trigger: RetryTrigger): Promise<void>;
  /** The pending resizes in the order of the next retry, with the reason for which each is pending. */
  pendingResizes(): { podUid: string; reason?: string; message?: string }[];
  /** The pod's condition `PodResizePending` if its resize is pending or infeasible: reason `Deferred` or `Infeasible`. */
  resizeConditions(podUid: string): PodCondition[];
  /** Removes a terminated pod's allocation, pending resize and condition. Idempotent. */
  removePod(podUid: string): void;
  /** As {@link removePod}, for all pods except these UIDs. */
  removeOrphanedPods(known: ReadonlySet<string>): void;
}
