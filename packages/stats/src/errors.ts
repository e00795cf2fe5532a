import { NodeAgentError } from '@nodeagent/api';

/** The codes of this package's errors. Errors of the runtime pass through unchanged. */
export const statsErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** No cgroup file system is mounted at the root, or the root cgroup cannot be read. */
  cgroupUnreadable: 'CgroupUnreadable',
  /** A call to the runtime exceeded its timeout. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** The JSON is not a summary; `details.field` is the path of the value that is invalid. */
  invalidSummary: 'InvalidSummary',
  /** The runtime reports no file system for its images. */
  imageFsMissing: 'ImageFsMissing',
} as const;

/** The error of a runtime or file system call that exceeded its timeout. */
export const deadlineExceeded = (what: string, timeoutMs: number) =>
  new NodeAgentError(statsErrorCodes.deadlineExceeded, `${what}: no answer within ${timeoutMs / 1000} s`, { retryable: true });
