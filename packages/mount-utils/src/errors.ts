/** The codes of the errors that this package makes. */
export const mountUtilsErrorCodes = {
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
  /** The volume is not one that the plugin can set up. */
  unsupportedVolume: 'UnsupportedVolume',
} as const;
