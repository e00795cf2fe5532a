/**
 * Client and serving certificates of a node: TLS bootstrap, rotation, and the kubelet's files. The pure functions are exported from
 * `@nodeagent/certificate-manager/decisions`.
 *
 * @packageDocumentation
 */
export { type BootstrapClientCertificateOptions, bootstrapClientCertificate } from './bootstrap-client-certificate.js';
export { type CertificateExplanation, type CertificateManager, createCertificateManager } from './certificate-manager.js';
export { type CertificatePair, createCertificatePair, parseCertificatePair } from './certificate-pair.js';
export { type CertificateStore, createMemoryCertificateStore } from './certificate-store.js';
export type { CertificateTemplate } from './certificate-template.js';
export { certificateManagerErrorCodes } from './errors.js';
export type { CertificatePhase, CertificateState } from './explain-certificate.js';
export { type CertificateFileStoreOptions, createCertificateFileStore } from './file-store.js';
export { type KubernetesSignerOptions, kubernetesSigner, type SigningRequestApi } from './kubernetes-signer.js';
export {
  type ClientCertificateManagerOptions,
  createClientCertificateManager,
  createServingCertificateManager,
  type ServingCertificateManagerOptions,
} from './node-certificates.js';
export type { CertificateManagerOptions, RequestCertificate, SignerRequest } from './options.js';
export type { CertificateFacts } from './rotation-deadline.js';
export type { CertificateRole } from './signing-request.js';
export { type BootstrapFilesOptions, kubeconfigCertificate, type PreparedBootstrap, prepareTlsBootstrap } from './tls-bootstrap.js';
