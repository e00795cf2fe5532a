/** The `code` of every error of this package. Those of `ensureImageExists` are the waiting reasons in a pod's status. */
export const imageErrorCodes = {
  /** The pull failed. */
  errImagePull: 'ErrImagePull',
  /** Back-off after a failed pull; `details.expiry` is the earliest time of the next pull, in milliseconds since 1970. */
  imagePullBackOff: 'ImagePullBackOff',
  /** The runtime's ImageStatus failed. */
  imageInspectError: 'ImageInspectError',
  /** The pull policy is `Never`, and the image is absent or the pod may not use it. */
  errImageNeverPull: 'ErrImageNeverPull',
  /** The image reference is invalid. */
  invalidImageName: 'InvalidImageName',
  /** The runtime reports that the registry is unavailable. */
  registryUnavailable: 'RegistryUnavailable',
  /** The runtime reports that the image's signature is invalid. */
  signatureValidationFailed: 'SignatureValidationFailed',
  /** The runtime did not respond within the timeout; an image manager has it as the cause of one of the errors above. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** A pull secret or a docker configuration cannot be read. */
  invalidPullCredentials: 'InvalidPullCredentials',
  /** The configuration of credential provider plugins is invalid. Details: `field`. */
  invalidCredentialProviderConfig: 'InvalidCredentialProviderConfig',
  /** A credential provider plugin failed or sent an invalid response; it then provides no credentials. */
  credentialProviderFailed: 'CredentialProviderFailed',
  /** A pull record or intent cannot be read or written. */
  pullRecordError: 'PullRecordError',
  /** An option is missing or out of range. Details: `field`. */
  invalidOption: 'InvalidOption',
} as const;
