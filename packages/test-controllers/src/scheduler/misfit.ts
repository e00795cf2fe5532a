/** Why a pod does not fit a node. */
export interface Misfit {
  /** The scheduler's message. */
  reasons: string[];
  /** Whether the pod would fit without other pods. */
  helpedByPreemption: boolean;
}
