/** The codes of the errors that this package creates. */
export const podAdmissionErrorCodes = {
  /** An option is invalid; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The pods that may be preempted do not free enough resources for the critical pod. */
  noPodsToPreempt: 'NoPodsToPreempt',
} as const;
