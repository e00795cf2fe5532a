/** The codes of this package's errors. */
export const deviceManagerErrorCodes = {
  /** A container cannot get the devices that it requests, or its plugin failed. */
  allocationFailed: 'DeviceAllocationFailed',
  /** A plugin cannot be registered: its version, resource name or socket is unusable. The plugin gets the message. */
  registrationFailed: 'DevicePluginRegistrationFailed',
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;
