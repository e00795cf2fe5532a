/** Error codes of this package. */
export const nodePageErrorCodes = {
  /** An option or setting is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;
