/** The codes of this package's errors. No message, hint or detail contains a private key. */
export const certificateManagerErrorCodes = {
  /** A certificate or key cannot be read or stored, or they do not match. Details: `path`, for a file. */
  certificateUnusable: 'CertificateUnusable',
  /** The addresses of the node are unknown or have no IP address, so that there is nothing to request. Retryable. */
  noTemplate: 'NoCertificateTemplate',
  /** The API server did not accept the CertificateSigningRequest. Retryable. */
  requestNotCreated: 'CertificateRequestNotCreated',
  /** The CertificateSigningRequest was denied. Details: `name`. */
  requestDenied: 'CertificateRequestDenied',
  /** The signer failed to issue the certificate. Details: `name`. */
  requestFailed: 'CertificateRequestFailed',
  /** The CertificateSigningRequest was deleted before it was signed, or replaced by another of its name. Details: `name`. */
  requestDeleted: 'CertificateRequestDeleted',
  /** No certificate was issued in time. Retryable. */
  requestTimedOut: 'CertificateRequestTimedOut',
  /** A kubeconfig cannot be used for the TLS bootstrap. Details: `path`. */
  invalidKubeconfig: 'InvalidKubeconfig',
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;
