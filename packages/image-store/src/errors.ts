/** The `code` of every error of this package. */
export const imageStoreErrorCodes = {
  /** An option is missing or out of range. Details: `field`. */
  invalidOption: 'InvalidOption',
  /** A text is not an image reference. Details: `image`. */
  invalidImageName: 'InvalidImageName',
  /** `hosts.toml` or `registries.conf` is invalid. Details: `field`, and `path` of the file. */
  invalidRegistryConfig: 'InvalidRegistryConfig',
  /** A manifest, index or image configuration breaks the specification or a limit. Details: `field`. */
  invalidManifest: 'InvalidManifest',
  /** A media type is unknown, such as that of an artifact that is not an image. Details: `mediaType`. */
  unsupportedMediaType: 'UnsupportedMediaType',
  /** An index has no image for this platform. Details: `platforms`, those that it has. */
  platformNotFound: 'PlatformNotFound',
  /** `registries.conf` blocks the registry. */
  registryBlocked: 'RegistryBlocked',
  /** The registry does not know the image or the blob. Details: `status`. */
  imageNotFound: 'ImageNotFound',
  /** The registry refuses the credentials, or demands some. Details: `status`. */
  unauthorized: 'Unauthorized',
  /** The registry cannot be reached, stalls, or keeps failing. Retryable. Details: `status` if it answered. */
  registryUnavailable: 'RegistryUnavailable',
  /** An answer breaks the protocol: a web page, redirects in a circle, a token that is none. */
  invalidResponse: 'InvalidRegistryResponse',
  /** Content differs from its digest or size. Details: `digest`. */
  contentMismatch: 'ContentMismatch',
  /** Another process uses the store. */
  storeLocked: 'ImageStoreLocked',
  /** The store does not have the image. Details: `image`. */
  unknownImage: 'UnknownImage',
  /** An archive is neither one of `docker save` nor an OCI layout. */
  invalidArchive: 'InvalidImageArchive',
  /** A layer names a path outside of it, or has an entry that a layer cannot have. Details: `path`. */
  unsafeLayer: 'UnsafeLayer',
  /** GNU tar is missing. */
  tarUnavailable: 'TarUnavailable',
  /** The program zstd is missing, which Node needs before 22.15. */
  zstdUnavailable: 'ZstdUnavailable',
  /** tar(1) could not unpack a layer. Details: `status`. */
  unpackFailed: 'UnpackFailed',
  /** To unpack or mount an image needs root. */
  requiresRoot: 'RequiresRoot',
  /** No mount has the key, or none with a writable layer. */
  unknownMount: 'UnknownMount',
  /** A mount with the key exists, of something else. */
  mountConflict: 'MountConflict',
  /** The target of a mount is a link, or no folder where the image has one. */
  invalidTarget: 'InvalidMountTarget',
  /** The image does not have the sub path. Details: `path`. */
  invalidSubPath: 'InvalidImageSubPath',
  /** The file system of the store cannot have writable layers. Details: `path`. */
  unsuitableFileSystem: 'UnsuitableFileSystem',
  /** The owners of files cannot be those of a user namespace. */
  ownersNotShifted: 'OwnersNotShifted',
  /** mount(8) or umount(8) did not end in time. Retryable. */
  mountTimeout: 'MountTimeout',
} as const;
