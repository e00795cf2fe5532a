/** Why a pod does not fit a node. */
export interface Misfit {
  /** In the scheduler's words. */
  reasons: string[];
  /** Whether it would fit if other pods were not there. */
  helpedByPreemption: boolean;
}
