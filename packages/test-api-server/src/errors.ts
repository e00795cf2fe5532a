/** The `code` of the errors that this package throws beside those of requests. */
export const testApiServerErrorCodes = {
  /** The file of `fileStorage` is no log of this version, or a line of it does not have its checksum. Details: `path`, `line`. */
  corruptStorage: 'CorruptStorage',
  /** A file of `applyFiles` has an object that cannot be read or applied. Details: `origin`, the file and the number of the document. */
  invalidFile: 'InvalidFile',
  /** Another server uses the file of `fileStorage`. Details: `path`. */
  storageInUse: 'StorageInUse',
} as const;
