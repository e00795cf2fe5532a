/** The codes of the errors that this package makes. */
export const volumePluginsErrorCodes = {
  /** No plugin, or several, for a volume. */
  noPlugin: 'NoVolumePlugin',
  /** An operation on a volume failed. Retryable. */
  operationFailed: 'VolumeOperationFailed',
  /** The pod refers to an object of a cluster, and the agent has no cluster. */
  standsAlone: 'StandsAlone',
  /** What a volume's files are made of is missing or is not allowed: an object, a key, a path, a source. */
  invalidPayload: 'InvalidPayload',
  /** A host path is not what its type says, or may not be one. */
  hostPathCheck: 'HostPathTypeCheckFailed',
  /** A token of a service account could not be had. Retryable. */
  tokenUnavailable: 'TokenUnavailable',
  /** The volume is not one that the plugin can set up. */
  unsupportedVolume: 'UnsupportedVolume',
} as const;
