import type { Clock, Logger, Metrics, Random } from '@nodeagent/api';
import type { CertificatePair } from './certificate-pair.js';
import type { CertificateStore } from './certificate-store.js';
import type { CertificateTemplate } from './certificate-template.js';
import type { CertificateRole } from './signing-request.js';

/** A request to a signer. */
export interface SignerRequest {
  /** The certificate request (PKCS#10) in PEM format. Each attempt has a new key. */
  csr: string;
  template: CertificateTemplate;
  /** The certificate to authenticate with; undefined without an unexpired one. */
  current: CertificatePair | undefined;
  /** Aborts after 15 minutes, when the template changes, and at the stop. */
  signal: AbortSignal;
}

/** Requests a certificate and resolves to its chain, in PEM format. Any rejection is a failed attempt. */
export type RequestCertificate = (request: SignerRequest) => Promise<string>;

/** Options of `createCertificateManager`. */
export interface CertificateManagerOptions {
  store: CertificateStore;
  /** What the certificate must contain; undefined while that is unknown. Must not throw. */
  template(): CertificateTemplate | undefined;
  /** The signer. Absent: the stored certificate is never rotated. */
  requestCertificate?: RequestCertificate;
  /** A certificate to start with if the store has none; it is stored and rotated at once. Default: none. */
  bootstrap?: CertificatePair;
  /** Which metrics of the kubelet the certificate has. Default `client`. */
  role?: CertificateRole;
  clock?: Clock;
  /** Jitter of deadlines and back-offs. */
  random?: Random;
  logger?: Logger;
  metrics?: Metrics;
}
