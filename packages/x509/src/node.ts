/**
 * Issues X.509 certificates, and creates and verifies certificate requests, with the keys of node:crypto.
 *
 * @packageDocumentation
 */
export { issueCertificate } from './certificate.js';
export { createCertificateRequest } from './certificate-request.js';
export { parseCertificateRequest } from './parse-certificate-request.js';
