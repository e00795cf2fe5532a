import { NodeAgentError } from '@nodeagent/api';

/** The `code` of every error of this package. */
export const containerLogsErrorCodes = {
  /** An option or setting is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The runtime did not respond within the timeout. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** A log is missing or cannot be opened (`details.path` names it), or the runtime does not report its path. */
  logUnavailable: 'LogUnavailable',
  /** A log's first line has neither the CRI format nor Docker's, or a line has an invalid stream. */
  unsupportedFormat: 'UnsupportedLogFormat',
} as const;

/** The error for a call that the runtime did not respond to within the timeout. */
export const deadlineExceeded = (call: string, timeoutMs: number) =>
  new NodeAgentError(containerLogsErrorCodes.deadlineExceeded, `${call}: the runtime did not respond within ${timeoutMs / 1000} s`, {
    retryable: true,
  });
