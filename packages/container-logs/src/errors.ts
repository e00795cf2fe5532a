/** The `code` of every error of this package. */
export const containerLogsErrorCodes = {
  /** An option or setting is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The runtime did not answer in time. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
} as const;
