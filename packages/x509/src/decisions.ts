/**
 * Reads certificate requests without verifying them; runs anywhere.
 *
 * @packageDocumentation
 */
export { readCertificateRequest, type UnverifiedCertificateRequest } from './read-certificate-request.js';
