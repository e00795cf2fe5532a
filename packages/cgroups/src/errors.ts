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
