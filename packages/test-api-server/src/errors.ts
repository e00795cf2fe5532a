/** The `code` of the errors that this package throws beside those of requests. */
export const testApiServerErrorCodes = {
  /** A line of the file of `fileStorage` does not have its checksum. Details: `path`, `line`. */
  corruptStorage: 'CorruptStorage',
  /** A file of `applyFiles` has an object that cannot be read or applied. Details: `origin`, the file and the number of the document. */
  invalidFile: 'InvalidFile',
} as const;
