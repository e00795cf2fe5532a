/** The codes of this package's errors. */
export const topologyManagerErrorCodes = {
  /** An option is missing, unknown or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;
