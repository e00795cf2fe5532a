/**
 * Pure functions of the certificate manager: templates, rotation deadline and back-off, requests and their outcome, and files.
 *
 * @packageDocumentation
 */
export {
  type CertificateTemplate,
  clientTemplate,
  isSameTemplate,
  servingTemplate,
} from './certificate-template.js';
export { type CertificatePhase, type CertificateState, explainCertificate } from './explain-certificate.js';
export { chooseInitialCertificate, chooseStoredFiles, type InitialCertificate, type StoredFiles } from './initial-certificate.js';
export { issuedProblem } from './issued-problem.js';
export { pairFileName } from './pair-file-name.js';
export { isHealthyRefusal, type RequestOutcome, requestOutcome, shouldExitWithoutCertificate } from './request-outcome.js';
export { rotationBackoffMs } from './rotation-backoff.js';
export { type CertificateFacts, isUnexpired, type RotationInput, rotationDeadline, satisfiesTemplate } from './rotation-deadline.js';
export { bootstrapRequestName, type CertificateRole, keyUsages, type SigningRequestInput, signingRequest } from './signing-request.js';
