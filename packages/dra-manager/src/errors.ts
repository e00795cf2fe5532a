/** The codes of this package's errors. */
export const draManagerErrorCodes = {
  /** The claims of a pod are not prepared: a claim cannot be used, or a driver failed. Retryable. */
  prepareFailed: 'DraPrepareFailed',
  /** A driver failed to unprepare the claims of a pod. The manager retries every minute. Retryable. */
  unprepareFailed: 'DraUnprepareFailed',
  /** A driver cannot be registered. The driver gets the message. */
  registrationFailed: 'DraRegistrationFailed',
  /** A claim of a container is not prepared. */
  claimNotPrepared: 'DraClaimNotPrepared',
  /** An option is missing, unknown or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;
