/** The codes of this package's errors. */
export const containerManagerErrorCodes = {
  /** An option is missing or invalid; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** Another agent or a kubelet runs its pods below the cgroup root; the message names its process. An agent then refuses to start. */
  cgroupRootInUse: 'CgroupRootInUse',
  /** The limits of a reserved cgroup cannot be enforced; `details.cgroup` names it. An agent then refuses to start. */
  enforcementFailed: 'NodeAllocatableEnforcementFailed',
  /** A kernel setting has another value than pods need, and must not be changed; `details.name` names it. */
  kernelSettingInvalid: 'KernelSettingInvalid',
} as const;
