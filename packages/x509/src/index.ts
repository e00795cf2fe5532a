/**
 * The contents of X.509 certificates and certificate requests. `@nodeagent/x509/decisions` reads certificate requests, and
 * `@nodeagent/x509/node` creates and verifies them, and issues certificates.
 *
 * @packageDocumentation
 */
export type { CertificateContent, CertificateKey, CertificateRequest, CertificateRequestContent } from './content.js';
export { x509ErrorCodes } from './errors.js';
export type { CertificateSubject } from './subject.js';
