import type { CertificateAuthority } from '@nodeagent/test-controllers';
import type { CertificateSubject } from '@nodeagent/x509';

/** A certificate and its private key, both PEM. */
export interface KeyedCertificate {
  cert: string;
  key: string;
}

/** A certificate authority in memory; the certificates for keys that it creates are valid until 2049. */
export interface TestAuthority extends CertificateAuthority {
  /** The private key, PEM; absent for an authority whose key was deleted. */
  readonly key?: string;
  /** Issues a server certificate for these names and addresses. */
  issueServer(hosts: readonly string[]): KeyedCertificate;
  /** Issues a client certificate of a user. */
  issueClient(subject: CertificateSubject): KeyedCertificate;
}
