/** The `code` of every error of this package. Those of `ensureImageExists` are the waiting reasons that a pod's status shows. */
export const imageErrorCodes = {
  /** The pull failed. */
  errImagePull: 'ErrImagePull',
  /** An earlier pull failed a short time ago; `details.expiry` says when (milliseconds since 1970) the next one may begin. */
  imagePullBackOff: 'ImagePullBackOff',
  /** The runtime could not tell whether it has the image. */
  imageInspectError: 'ImageInspectError',
  /** The pull policy is `Never` and the image is absent, or present but not for this pod. */
  errImageNeverPull: 'ErrImageNeverPull',
  /** The image's name breaks the grammar. */
  invalidImageName: 'InvalidImageName',
  /** The runtime says that the registry does not answer. */
  registryUnavailable: 'RegistryUnavailable',
  /** The runtime says that the image's signature is wrong. */
  signatureValidationFailed: 'SignatureValidationFailed',
  /** The runtime did not answer in time; inside an image manager it becomes the reason of one of the errors above. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** A pull secret or a docker configuration cannot be read. */
  invalidPullCredentials: 'InvalidPullCredentials',
  /** The configuration of credential provider plugins breaks a rule. Details: `field`. */
  invalidCredentialProviderConfig: 'InvalidCredentialProviderConfig',
  /** A credential provider plugin failed or answered nonsense; it then counts as having no logins. */
  credentialProviderFailed: 'CredentialProviderFailed',
  /** A pull record or intent cannot be read or written. */
  pullRecordError: 'PullRecordError',
  /** An option is missing or out of range. Details: `field`. */
  invalidOption: 'InvalidOption',
} as const;
