/** The `code` of the errors that this package throws beside those of requests. */
export const testApiServerErrorCodes = {
  /** A line of the file of `fileStorage` does not have its checksum. Details: `path`, `line`. */
  corruptStorage: 'CorruptStorage',
} as const;
