/** The `code` of every error that this package's helpers throw. */
export const apiErrorCodes = {
  /** A text is not a resource quantity. Details: `text`. */
  invalidQuantity: 'InvalidQuantity',
  /** An argument lies outside what the helper is defined for. Details: `field`, `value`. */
  invalidArgument: 'InvalidArgument',
} as const;
