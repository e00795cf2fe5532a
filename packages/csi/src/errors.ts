/** The codes of the errors that this package makes; those that say how far an operation got are codes of `@nodeagent/api`. */
export const csiErrorCodes = {
  /** A CSI driver speaks no version that the kubelet speaks. */
  csiVersionUnsupported: 'CsiVersionUnsupported',
  /** A CSI driver of the name is registered with a version that is not lower. */
  csiDriverExists: 'CsiDriverExists',
  /** A CSI driver cannot do what is asked of it. */
  csiNotSupported: 'CsiNotSupported',
  /** An operation on a volume failed. Retryable. */
  operationFailed: 'VolumeOperationFailed',
} as const;
