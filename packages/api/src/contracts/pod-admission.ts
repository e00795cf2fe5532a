import type { Pod } from '../objects/pod.js';

/** The pod and operation to admit. */
export interface PodAdmitAttributes {
  /** The pod, with its allocated resources or, on `resize`, with the requested ones. */
  pod: Pod;
  /** The other active pods of the node, with their allocated resources. */
  otherPods: readonly Pod[];
  /** `add`: a new pod; `resize`: an active pod requests other resources. */
  operation: 'add' | 'resize';
}

/**
 * The result of admission. `reason` and `message` of a refusal become those of the pod's status (phase Failed) or, on `resize`, of its
 * condition: Kubernetes documentation, "Pod Lifecycle". A refused resize is retried later unless its `reason` is `Infeasible`.
 */
export type PodAdmitResult = { admit: true } | { admit: false; reason: string; message: string };

/**
 * Admits or refuses pods. Called for one pod at a time; after a restart of the agent also for the pods that ran before. A handler that
 * throws or rejects refuses the pod with reason `UnexpectedAdmissionError`.
 */
export interface PodAdmitHandler {
  admit(attributes: PodAdmitAttributes, signal?: AbortSignal): PodAdmitResult | Promise<PodAdmitResult>;
}
