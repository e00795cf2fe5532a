import type { NodeAddress, Startable } from '@nodeagent/api';
import type { CertificateExplanation, CertificatePair } from '@nodeagent/certificate-manager';

/** The certificates that an agent rotates. */
export interface NodeCertificates extends Startable {
  /** Loads the certificates and starts the rotation. Rejects with `CertificateUnusable` if a stored certificate is invalid. */
  start(signal?: AbortSignal): Promise<void>;
  /** The client certificate of the next connection to the API server; undefined without an unexpired one. */
  client(): CertificatePair | undefined;
  /** The certificate of the next connection to the node's HTTP API; undefined without an unexpired one. */
  serving(): CertificatePair | undefined;
  /** Sets the addresses of the Node; the serving certificate is requested again if it lacks one. */
  setAddresses(addresses: readonly NodeAddress[]): void;
  explain(): NodeCertificatesExplanation;
}

/** What is known about each certificate; absent for one that the agent does not rotate. */
export interface NodeCertificatesExplanation {
  client?: CertificateExplanation;
  serving?: CertificateExplanation;
}
