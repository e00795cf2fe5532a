/** The error codes of this package. Errors of plugins are passed on unchanged; invalid options are `InvalidOption`. */
export const volumeManagerErrorCodes = {
  /** No plugin, or more than one, supports the volume. */
  noPlugin: 'NoVolumePlugin',
  /** The volume is not in the list of attached volumes. */
  notAttached: 'VolumeNotAttached',
  /** The volume is still mounted for pods. */
  stillMounted: 'VolumeStillMounted',
  /** The volume's claim or persistent volume is missing, not bound, or does not match the pod. Retryable. */
  claimNotReady: 'ClaimNotReady',
  /** The precondition of an operation is not met yet; the operation is repeated without back-off. Retryable. */
  failedPrecondition: 'FailedPrecondition',
  /** An operation on a volume failed. Retryable. */
  operationFailed: 'VolumeOperationFailed',
  /** An operation with that name is in progress. Retryable. */
  operationExists: 'OperationAlreadyExists',
  /** An operation failed and its back-off has not ended. Retryable. Details: `durationMs`, `retryAt`. */
  operationBackOff: 'OperationBackOff',
  /** A pod's volumes were not mounted in time. Retryable. */
  notMounted: 'VolumesNotMounted',
  /** A pod's volumes were not unmounted in time. Retryable. */
  notUnmounted: 'VolumesNotUnmounted',
  /** The node has reached its volume attachment limit. */
  attachmentLimitExceeded: 'VolumeAttachmentLimitExceeded',
  /** Containers or pods need different SELinux labels for a volume that can have only one. */
  multipleSELinuxLabels: 'MultipleSELinuxLabels',
} as const;
