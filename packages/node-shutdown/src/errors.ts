/** The codes of the errors that this package creates. */
export const nodeShutdownErrorCodes = {
  /** An option is invalid; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** systemd's logind cannot be watched, or does not delay a shutdown for as long as the pods need. Retryable. */
  logindUnavailable: 'LogindUnavailable',
} as const;
