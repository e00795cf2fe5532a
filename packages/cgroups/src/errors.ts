import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';

/** The codes of this package's errors. */
export const cgroupsErrorCodes = {
  /** An option is missing or invalid; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** No cgroup file system is mounted at the root. */
  cgroupUnavailable: 'CgroupUnavailable',
  /** A cgroup or controller that must exist is missing; `details.missing` lists the paths or controllers. */
  cgroupInvalid: 'CgroupInvalid',
  /** A cgroup cannot be created, written or removed; `details.path` names it. `retryable` if the kernel reported it busy. */
  cgroupFailed: 'CgroupFailed',
  /** systemd did not answer in time or refused; `retryable`. */
  systemdFailed: 'SystemdFailed',
} as const;

/** The error of an action on the cgroup with this path. */
export function cgroupFailed(action: string, path: string, cause: unknown): NodeAgentError {
  return new NodeAgentError(cgroupsErrorCodes.cgroupFailed, `failed to ${action} of "${path}": ${errorMessage(cause)}`, {
    cause,
    retryable: errorCode(cause) === 'EBUSY',
    details: { path },
  });
}

/** The error of a cgroup that lacks folders on version 1, or controllers on version 2. */
export function cgroupInvalid(version: 1 | 2, path: string, missing: readonly string[]): NodeAgentError {
  const what = version === 1 ? 'paths' : 'controllers';
  return new NodeAgentError(cgroupsErrorCodes.cgroupInvalid, `cgroup "${path}" has some missing ${what}: ${missing.join(', ')}`, {
    hint: 'Create the cgroup for each controller, or remove it so that it is created.',
    details: { path, missing },
  });
}
