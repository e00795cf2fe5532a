/** The codes of the errors that this package makes. */
export const pluginManagerErrorCodes = {
  /** A plugin could not be registered; it is tried again. Retryable. */
  registrationFailed: "PluginRegistrationFailed",
} as const;
