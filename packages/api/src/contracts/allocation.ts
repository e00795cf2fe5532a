import type { Pod } from '../objects/pod.js';
import type { PodCondition } from '../objects/pod-status.js';
import type { Startable } from './lifecycle.js';
import type { PodAdmitResult } from './pod-admission.js';

/** Why waiting resizes are tried again: label `retry_trigger` of the metric `kubelet_pod_deferred_accepted_resizes_total`. */
export type RetryTrigger = 'pods_added' | 'pod_updated' | 'pods_removed' | 'pod_terminated' | 'pod_resized' | 'periodic_retry';

/** Decides which pods the node takes, keeps what each was granted, and grants resizes. */
export interface AllocationManager extends Startable {
  /** Loads what was granted before. Other calls do not need it; without it waiting resizes are tried only when asked for. */
  start(signal?: AbortSignal): Promise<void>;
  /**
   * Asks the admit handlers, in their order until the first refusal, about a pod of a source, which the active pods may already have, and
   * grants it what its spec asks for or, if it was granted something before, that. A refused pod is granted nothing. Resolves when the
   * grant is saved. One pod at a time, in the order of the calls; rejects only with the reason for which the manager ended.
   */
  addPod(pod: Pod): Promise<PodAdmitResult>;
  /** The pod with what it was granted in the place of what it asks for; as it is without a grant. A view; answered from memory. */
  updatePodFromAllocation(pod: Pod): Pod;
  /**
   * Notes that a pod's spec may ask for other resources than it was granted; returns whether there is something to be decided by
   * {@link retryPendingResizes}.
   */
  pushPendingResize(pod: Pod): boolean;
  /**
   * Whether the pod's spec asks for other resources than it was granted and no decision on this generation has been made: neither granted
   * nor in the condition `PodResizePending`. Takes the pod of the source, with what it asks for.
   */
  isResizeUndecided(pod: Pod): boolean;
  /**
   * Decides on the waiting resizes in their order: grants one that fits, leaves waiting one that is `Deferred`, and gives up one that is
   * `Infeasible` or was withdrawn. Cheap when none waits. Never rejects.
   */
  retryPendingResizes(trigger: RetryTrigger): Promise<void>;
  /** The waiting resizes in the order in which they will be tried, and why they wait. */
  pendingResizes(): { podUid: string; reason?: string; message?: string }[];
  /** The pod's condition `PodResizePending`, if its resize waits or cannot be: reason `Deferred` or `Infeasible`. */
  resizeConditions(podUid: string): PodCondition[];
  /** Forgets a pod that is gone for good, with its grant, waiting resize and condition. Idempotent. */
  removePod(podUid: string): void;
  /** Forgets all pods but these. */
  removeOrphanedPods(known: ReadonlySet<string>): void;
}
