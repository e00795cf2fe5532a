import { errorCode, NodeAgentError } from '@nodeagent/api';

/** The codes of the errors that this package makes. Errors of plugins pass through as they are. */
export const volumeManagerErrorCodes = {
  /** An option cannot be; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** A UID of a pod that cannot name a folder. */
  invalidPodUid: 'InvalidPodUID',
  /** The pod refers to an object of a cluster, and the agent has no cluster. */
  standsAlone: 'StandsAlone',
  /** A name that cannot name a folder. */
  invalidVolumeName: 'InvalidVolumeName',
  /** It is open whether the volume is mounted now. Retryable. */
  uncertainProgress: 'UncertainProgress',
  /** The operation failed and has changed nothing. Retryable. */
  transientOperationFailure: 'TransientOperationFailure',
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
  /** A volume in use cannot be grown. */
  inUseExpansion: 'InUseExpansion',
  /** A volume can never be grown to the size. */
  infeasibleExpansion: 'InfeasibleExpansion',
  /** A volume that is mounted with one SELinux label is used with several. Retryable once the pod has changed. */
  multipleSELinuxLabels: 'MultipleSELinuxLabels',
  /** A CSI driver speaks no version that the kubelet speaks. */
  csiVersionUnsupported: 'CsiVersionUnsupported',
  /** A CSI driver of the name is registered with a version that is not lower. */
  csiDriverExists: 'CsiDriverExists',
  /** A CSI driver cannot do what is asked of it. */
  csiNotSupported: 'CsiNotSupported',
  /** What a volume's files are made of is missing or is not allowed: an object, a key, a path, a source. */
  invalidPayload: 'InvalidPayload',
  /** A host path is not what its type says, or may not be one. */
  hostPathCheck: 'HostPathTypeCheckFailed',
  /** mount(8), umount(8) or a tool for file systems failed; `details.output` is what it said. Retryable. */
  mountFailed: 'MountFailed',
  /** Only root can mount. */
  mountNotPermitted: 'MountNotPermitted',
  /** A table of mounts that cannot be understood. */
  invalidMountInfo: 'InvalidMountInfo',
  /** A path inside a volume that leads out of it, is a symbolic link, or is missing; `details.reason` says which. */
  unsafePath: 'UnsafePath',
  /** A `subPath` could not be made available. Retryable. */
  subPathFailed: 'SubPathFailed',
  /** A token of a service account could not be had. Retryable. */
  tokenUnavailable: 'TokenUnavailable',
  /** The volume is not one that the plugin can set up. */
  unsupportedVolume: 'UnsupportedVolume',
} as const;

/** For plugins: it is open whether the volume is mounted now. */
export function uncertainProgress(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(volumeManagerErrorCodes.uncertainProgress, message, { retryable: true, cause });
}

/** For plugins: the operation failed and has changed nothing. */
export function transientOperationFailure(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(volumeManagerErrorCodes.transientOperationFailure, message, { retryable: true, cause });
}

export const isUncertainProgress = (error: unknown) => errorCode(error) === volumeManagerErrorCodes.uncertainProgress;

/** Whether an error of a plugin says that the volume is not mounted now. Looks at the error itself, never at its cause. */
export function isOperationFinished(error: unknown): boolean {
  return !isUncertainProgress(error) && errorCode(error) !== volumeManagerErrorCodes.transientOperationFailure;
}

/** For plugins: the driver does not grow volumes in use. */
export function inUseExpansion(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(volumeManagerErrorCodes.inUseExpansion, message, { cause });
}

/** For plugins: the volume can never have the size. */
export function infeasibleExpansion(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(volumeManagerErrorCodes.infeasibleExpansion, message, { cause });
}

export const isInUseExpansionError = (error: unknown) => errorCode(error) === volumeManagerErrorCodes.inUseExpansion;
export const isInfeasibleError = (error: unknown) => errorCode(error) === volumeManagerErrorCodes.infeasibleExpansion;
