/** The codes of the errors that this package makes. Errors of plugins pass through as they are; options that cannot be are `InvalidOption`. */
export const volumeManagerErrorCodes = {
  /** No plugin, or several, for a volume. */
  noPlugin: 'NoVolumePlugin',
  /** A volume is not in the list of attached ones. */
  notAttached: 'VolumeNotAttached',
  /** A volume still has pods. */
  stillMounted: 'VolumeStillMounted',
  /** The volume's claim or persistent volume is missing, not bound, or not what the pod says. Retryable. */
  claimNotReady: 'ClaimNotReady',
  /** What an operation waits for is not there yet; it is repeated without a back-off. Retryable. */
  failedPrecondition: 'FailedPrecondition',
  /** An operation on a volume failed. Retryable. */
  operationFailed: 'VolumeOperationFailed',
  /** A pod's volumes were not mounted in time. Retryable. */
  notMounted: 'VolumesNotMounted',
  /** A pod's volumes were not unmounted in time. Retryable. */
  notUnmounted: 'VolumesNotUnmounted',
  /** The node cannot have more volumes attached. */
  attachmentLimitExceeded: 'VolumeAttachmentLimitExceeded',
  /** A volume that is mounted with one SELinux label is used with several. Retryable once the pod has changed. */
  multipleSELinuxLabels: 'MultipleSELinuxLabels',
} as const;
