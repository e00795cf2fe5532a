/** The `code` of every error that this package throws. `details` has the argument and its value. */
export const apiErrorCodes = {
  /** A string is not a resource quantity. Details: `text`. */
  invalidQuantity: 'InvalidQuantity',
  /** An option of a factory is missing or out of range. Details: `field`. */
  invalidOption: 'InvalidOption',
  /** An argument is outside the helper's valid range. Details: `field`, `value`. */
  invalidArgument: 'InvalidArgument',
  /** The pod does not set `enableServiceLinks`. */
  serviceLinksUnset: 'ServiceLinksUnset',
  /** The first list of services has not been received yet. Retryable. */
  servicesNotSynced: 'ServicesNotSynced',
  /** A config map or secret that is not optional does not exist. Details: `kind`, `namespace`, `name`. */
  objectNotFound: 'ObjectNotFound',
  /** A config map, secret or env file has no such key. Details: `key`. */
  keyNotFound: 'KeyNotFound',
  /** An env file breaks the format. Details: `line`. */
  invalidEnvFile: 'InvalidEnvFile',
  /** The downward API has no such field. Details: `fieldPath`. */
  unsupportedFieldPath: 'UnsupportedFieldPath',
  /** The downward API has no such container resource. Details: `resource`. */
  unsupportedResource: 'UnsupportedResource',
  /** The pod has no container of that name. Details: `containerName`. */
  containerNotFound: 'ContainerNotFound',
  /** A text is not an image reference. Details: `image`. */
  invalidImageName: 'InvalidImageName',
  /** A label or node selector breaks the rules of selectors. Details: `key`, `operator`. */
  invalidSelector: 'InvalidSelector',
  /** The API server refused a call. Details: `status`, an ApiStatus. */
  apiError: 'ApiError',
  /** An object has no `metadata.name`. */
  unnamedObject: 'UnnamedObject',
  /** A checkpoint file is corrupt. Details: `path`, and `setAside` if it was renamed. */
  invalidCheckpoint: 'InvalidCheckpoint',
  /** A path is a pipe, device, socket or folder where a file is expected. Details: `path`. */
  notRegularFile: 'NotRegularFile',
  /** A name is not valid as a directory name. */
  invalidVolumeName: 'InvalidVolumeName',
  /** The volume may or may not be mounted. Retryable. */
  uncertainProgress: 'UncertainProgress',
  /** The operation failed and made no changes. Retryable. */
  transientOperationFailure: 'TransientOperationFailure',
  /** The driver does not expand volumes in use. */
  inUseExpansion: 'InUseExpansion',
  /** The volume can never be expanded to the requested size. */
  infeasibleExpansion: 'InfeasibleExpansion',
} as const;
