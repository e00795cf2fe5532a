/** The error codes of this package. */
export const mountUtilsErrorCodes = {
  /** mount(8), umount(8) or a file system tool failed; `details.output` is its output. Retryable. */
  mountFailed: 'MountFailed',
  /** The agent does not run as root, so it cannot mount. */
  mountNotPermitted: 'MountNotPermitted',
  /** The mount table cannot be parsed. */
  invalidMountInfo: 'InvalidMountInfo',
  /** A path inside a volume that leads out of it, is a symbolic link, or is missing; `details.reason` is the cause. */
  unsafePath: 'UnsafePath',
  /** A `subPath` could not be made available. Retryable. */
  subPathFailed: 'SubPathFailed',
  /** The file system of a path does not answer, such as one whose server is lost. Details: `path`. Retryable. */
  fileSystemHangs: 'FileSystemHangs',
  /** The volume is not supported. */
  unsupportedVolume: 'UnsupportedVolume',
} as const;
