/** The codes of the errors that this package makes; options that cannot be are `InvalidOption`. */
export const pluginManagerErrorCodes = {
  /** A plugin could not be registered, or not be told so. Logged, and tried again. */
  registrationFailed: 'PluginRegistrationFailed',
} as const;
