/** The codes of the errors that this package makes. */
export const evictionErrorCodes = {
  /** A threshold, grace period or minimum reclaim of the configuration breaks a rule; `details.field` names it. */
  invalidConfig: 'InvalidEvictionConfig',
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** A part that eviction asked gave no answer in time, and is not waited for. Retryable. */
  timeout: 'EvictionTimeout',
} as const;
