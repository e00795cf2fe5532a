/** The codes of this package's errors. */
export const podResourcesErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;
