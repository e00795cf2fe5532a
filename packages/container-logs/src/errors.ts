import { NodeAgentError } from '@nodeagent/api';

/** The `code` of every error of this package. */
export const containerLogsErrorCodes = {
  /** An option or setting is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The runtime did not answer in time. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** A log is missing or cannot be opened (`details.path` names it), or the runtime does not know where it is. */
  logUnavailable: 'LogUnavailable',
  /** A log's first line is neither of the CRI format nor Docker's, or a line names no stream. */
  unsupportedFormat: 'UnsupportedLogFormat',
} as const;

/** The error of a runtime that has not answered a call within its time limit. */
export const deadlineExceeded = (call: string, timeoutMs: number) =>
  new NodeAgentError(containerLogsErrorCodes.deadlineExceeded, `${call}: the runtime did not answer within ${timeoutMs / 1000} s`, {
    retryable: true,
  });
