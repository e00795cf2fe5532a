/** The `code` of every error of this package. */
export const eventRecorderErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;
