/** The `code` of every error of this package, except `InvalidOption`. */
export const pluginManagerErrorCodes = {
  /** A plugin could not be registered, or the notification of it failed. Logged and retried. */
  registrationFailed: 'PluginRegistrationFailed',
} as const;
