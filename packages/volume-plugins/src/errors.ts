/** The error codes of this package. */
export const volumePluginsErrorCodes = {
  /** No plugin, or more than one, supports the volume. */
  noPlugin: 'NoVolumePlugin',
  /** An operation on a volume failed. Retryable. */
  operationFailed: 'VolumeOperationFailed',
  /** The pod refers to an API object, and the agent runs standalone. */
  standalone: 'Standalone',
  /** The content of a volume is missing or invalid: an object, a key, a path, a source. */
  invalidPayload: 'InvalidPayload',
  /** A host path is not of its `type`, or is invalid. */
  hostPathCheck: 'HostPathTypeCheckFailed',
  /** A service account token could not be requested. Retryable. */
  tokenUnavailable: 'TokenUnavailable',
  /** The plugin cannot set up this volume. */
  unsupportedVolume: 'UnsupportedVolume',
} as const;
