/** The codes of this package's errors. Errors of the runtime pass through unchanged. */
export const plegErrorCodes = {
  /** An option is out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;
