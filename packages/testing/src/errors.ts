/** The error codes of this package. */
export const testingErrorCodes = {
  /** A condition does not hold within its limit of virtual time. */
  conditionNotMet: 'ConditionNotMet',
} as const;
