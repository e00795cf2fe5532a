/** The codes of this package's errors. */
export const x509ErrorCodes = {
  /** A certificate request is not PKCS#10, or its signature is invalid. */
  invalidCertificateRequest: 'InvalidCertificateRequest',
} as const;
