/**
 * Creates X.509 certificates and certificate requests, and reads certificate requests.
 *
 * @packageDocumentation
 */
export { type CertificateContent, type CertificateKey, issueCertificate } from './certificate.js';
export { type CertificateRequestContent, createCertificateRequest } from './certificate-request.js';
export { x509ErrorCodes } from './errors.js';
export { type CertificateRequest, parseCertificateRequest } from './parse-certificate-request.js';
export type { CertificateSubject } from './subject.js';
