import { NodeAgentError } from '@nodeagent/api';

/** The codes of the errors that this package makes. Errors of the runtime pass through as they are. */
export const statsErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** There is no cgroup file system where it should be, or the root of all cgroups cannot be read. */
  cgroupUnreadable: 'CgroupUnreadable',
  /** The runtime did not answer in time. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** The runtime names no file system for its images. */
  imageFsMissing: 'ImageFsMissing',
} as const;

/** The error of a runtime or file system that has not answered within its time limit. */
export const deadlineExceeded = (what: string, timeoutMs: number) =>
  new NodeAgentError(statsErrorCodes.deadlineExceeded, `${what}: no answer within ${timeoutMs / 1000} s`, { retryable: true });
