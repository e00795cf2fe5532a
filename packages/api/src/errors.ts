/** The `code` of every error that this package's helpers throw; details name the argument and its value. */
export const apiErrorCodes = {
  /** A text is not a resource quantity. Details: `text`. */
  invalidQuantity: 'InvalidQuantity',
  /** An option of a factory is missing or out of range. Details: `field`. */
  invalidOption: 'InvalidOption',
  /** An argument lies outside what the helper is defined for. Details: `field`, `value`. */
  invalidArgument: 'InvalidArgument',
  /** A `subPathExpr` uses variables that are unset or empty. Details: `expression`, `missing`. */
  missingVariable: 'MissingVariable',
  /** The pod does not say whether it wants service variables. */
  serviceLinksUnset: 'ServiceLinksUnset',
  /** The services of the cluster are not known yet. Retryable. */
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
  /** A container is named that the pod does not have. Details: `containerName`. */
  containerNotFound: 'ContainerNotFound',
  /** A resolver configuration breaks the format. */
  invalidResolvConf: 'InvalidResolvConf',
  /** A pod's hostname, hostnameOverride or subdomain is no DNS name, or too long. Details: `field`, `value`. */
  invalidHostname: 'InvalidHostname',
  /** A label or node selector breaks the rules of selectors. Details: `key`, `operator`. */
  invalidSelector: 'InvalidSelector',
  /** An image reference breaks the grammar. Details: `image`. */
  invalidImageName: 'InvalidImageName',
  /** The API server refused a call. Details: `status`, an ApiStatus. */
  apiError: 'ApiError',
  /** An object without a name cannot be asked for. */
  unnamedObject: 'UnnamedObject',
  /** An operation of the name is being executed. Retryable. */
  operationExists: 'OperationAlreadyExists',
  /** An operation failed and is not repeated yet. Retryable. Details: `durationMs`, `retryAt`. */
  operationBackOff: 'OperationBackOff',
  /** A checkpoint file is damaged. Details: `path`, and `setAside` if it was renamed. */
  invalidCheckpoint: 'InvalidCheckpoint',
  /** A name that cannot name a folder. */
  invalidVolumeName: 'InvalidVolumeName',
  /** It is open whether the volume is mounted now. Retryable. */
  uncertainProgress: 'UncertainProgress',
  /** The operation failed and has changed nothing. Retryable. */
  transientOperationFailure: 'TransientOperationFailure',
  /** A volume in use cannot be grown. */
  inUseExpansion: 'InUseExpansion',
  /** A volume can never be grown to the size. */
  infeasibleExpansion: 'InfeasibleExpansion',
} as const;
