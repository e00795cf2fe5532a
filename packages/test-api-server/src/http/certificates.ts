import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type CertificateSubject, issueCertificate } from '@nodeagent/api';

/** A certificate and its private key, both PEM. */
export interface KeyedCertificate {
  cert: string;
  key: string;
}

/** A certificate authority that lives as long as the test that made it; what it issues is good until 2049. */
export interface TestAuthority {
  /** Its own certificate, PEM. */
  readonly cert: string;
  /** A certificate for a server under these names and addresses. */
  issueServer(hosts: readonly string[]): KeyedCertificate;
  /** A certificate by which a client is a user. */
  issueClient(subject: CertificateSubject): KeyedCertificate;
}

/** Makes a {@link TestAuthority} with a key of its own. */
export function createTestAuthority(): TestAuthority {
  return new EcdsaAuthority();
}

/** So long that no test ever meets an expired one. */
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

  #issue(content: { subject: CertificateSubject; hosts?: readonly string[]; usages: readonly ('server' | 'client')[] }): KeyedCertificate {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { cert: issueCertificate({ ...validity, ...content, publicKey, issuer: this.#issuer }), key };
  }
}
