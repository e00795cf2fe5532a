/** The codes of the errors that this package makes. */
export const oomWatcherErrorCodes = {
  /** An option is missing; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The kernel's log cannot be opened; `hint` says what is needed. */
  kernelLogUnavailable: 'KernelLogUnavailable',
} as const;
