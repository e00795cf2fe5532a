/** The error codes of this package; uncertain and transient errors have codes of `@nodeagent/api`. */
export const csiErrorCodes = {
  /** A CSI driver supports no version that the kubelet supports. */
  csiVersionUnsupported: 'CsiVersionUnsupported',
  /** The name of a CSI driver is not a DNS subdomain of at most 63 characters. */
  csiDriverNameInvalid: 'CsiDriverNameInvalid',
  /** A CSI driver of this name is registered with the same or a higher version. */
  csiDriverExists: 'CsiDriverExists',
  /** A CSI driver does not support the operation. */
  csiNotSupported: 'CsiNotSupported',
  /** An operation on a volume failed. Retryable. */
  operationFailed: 'VolumeOperationFailed',
} as const;
