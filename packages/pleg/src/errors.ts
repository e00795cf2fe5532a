/** The codes of the errors that this package makes. Errors of the runtime pass through as they are. */
export const plegErrorCodes = {
  /** An option is out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;
