/** The codes of this package's errors. */
export const oomWatcherErrorCodes = {
  /** An option is missing; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The kernel log cannot be opened; `hint` names the required privilege or file. */
  kernelLogUnavailable: 'KernelLogUnavailable',
} as const;
