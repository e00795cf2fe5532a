import type { Pod } from '../objects/pod.js';

/** What is to be admitted. */
export interface PodAdmitAttributes {
  /** The pod, with the resources it already has or, on `resize`, with those it is to have. */
  pod: Pod;
  /** The other pods that live on the node, with the resources they were granted. */
  otherPods: readonly Pod[];
  /** A pod that is to live on the node, or one that lives there and is to have other resources. */
  operation: 'add' | 'resize';
}

/**
 * The answer. `reason` and `message` become those of the pod's status (phase Failed) or, on `resize`, of its condition: Kubernetes
 * documentation, "Pod Lifecycle". A resize that is refused is tried again later unless its `reason` is `Infeasible`.
 */
export type PodAdmitResult = { admit: true } | { admit: false; reason: string; message: string };

/**
 * Has a say in whether a pod may live on the node. Asked for one pod at a time, also for the pods of before when the agent starts.
 * A handler that throws or rejects refuses the pod with reason `UnexpectedAdmissionError`.
 */
export interface PodAdmitHandler {
  admit(attributes: PodAdmitAttributes, signal?: AbortSignal): PodAdmitResult | Promise<PodAdmitResult>;
}
