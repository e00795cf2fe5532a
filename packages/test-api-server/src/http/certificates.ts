import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type CertificateContent, type CertificateSubject, issueCertificate } from '@nodeagent/x509';

/** A certificate and its private key, both PEM. */
export interface KeyedCertificate {
  cert: string;
  key: string;
}

/** A certificate authority in memory; its certificates are valid until 2049. */
export interface TestAuthority {
  /** The CA certificate, PEM. */
  readonly cert: string;
  /** Issues a server certificate for these names and addresses. */
  issueServer(hosts: readonly string[]): KeyedCertificate;
  /** Issues a client certificate of a user. */
  issueClient(subject: CertificateSubject): KeyedCertificate;
  /** Issues a certificate for a key that the authority does not have. Returns PEM. */
  sign(content: Omit<CertificateContent, 'issuer'>): string;
}

/** Creates a {@link TestAuthority} with a new key. */
export function createTestAuthority(): TestAuthority {
  return new EcdsaAuthority();
}

/** Long enough that no test meets an expired certificate. */
const validity = { notBefore: Date.UTC(2020), notAfter: Date.UTC(2049, 11, 31, 23, 59, 59) };

class EcdsaAuthority implements TestAuthority {
  readonly #issuer: { subject: CertificateSubject; privateKey: KeyObject };
  readonly cert: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#issuer = { subject: { commonName: 'kubernetes' }, privateKey };
    this.cert = issueCertificate({ ...validity, subject: this.#issuer.subject, publicKey, issuer: this.#issuer, isAuthority: true });
  }

  issueServer(hosts: readonly string[]): KeyedCertificate {
    return this.#issue({ subject: { commonName: 'kube-apiserver' }, hosts, usages: ['server'] });
  }

  issueClient(subject: CertificateSubject): KeyedCertificate {
    return this.#issue({ subject, usages: ['client'] });
  }

  sign(content: Omit<CertificateContent, 'issuer'>): string {
    return issueCertificate({ ...content, issuer: this.#issuer });
  }

  #issue(content: { subject: CertificateSubject; hosts?: readonly string[]; usages: readonly ('server' | 'client')[] }): KeyedCertificate {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { cert: this.sign({ ...validity, ...content, publicKey }), key };
  }
}
