/** The `code` of every error of this package. */
export const containerLogsErrorCodes = {
  /** An option or setting is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The runtime did not answer in time. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** A log is not there or cannot be opened; `details.path` names it. */
  logUnavailable: 'LogUnavailable',
  /** A log's first line is neither of the CRI format nor Docker's, or a line names no stream. */
  unsupportedFormat: 'UnsupportedLogFormat',
} as const;
