import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { RequestedCertificate } from '@nodeagent/test-controllers';
import type { CertificateContent, CertificateSubject } from '@nodeagent/x509';
import { issueCertificate, parseCertificateRequest } from '@nodeagent/x509/node';
import type { KeyedCertificate, TestAuthority } from '../network/authority.js';

/** Creates a {@link TestAuthority}, by default with a new key. */
export function createTestAuthority(known?: KeyedCertificate): TestAuthority {
  return new EcdsaAuthority(known);
}

/** Long enough that no test meets an expired certificate. */
const validity = { notBefore: Date.UTC(2020), notAfter: Date.UTC(2049, 11, 31, 23, 59, 59) };

class EcdsaAuthority implements TestAuthority {
  readonly #issuer: { subject: CertificateSubject; privateKey: KeyObject };
  readonly cert: string;

  constructor(known: KeyedCertificate | undefined) {
    const privateKey = known ? createPrivateKey(known.key) : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const publicKey = createPublicKey(privateKey);
    this.#issuer = { subject: { commonName: 'kubernetes' }, privateKey };
    this.cert =
      known?.cert ?? issueCertificate({ ...validity, subject: this.#issuer.subject, publicKey, issuer: this.#issuer, isAuthority: true });
  }

  get key(): string {
    return pemOf(this.#issuer.privateKey);
  }

  issueServer(hosts: readonly string[]): KeyedCertificate {
    return this.#issue({ subject: { commonName: 'kube-apiserver' }, hosts, usages: ['server'] });
  }

  issueClient(subject: CertificateSubject): KeyedCertificate {
    return this.#issue({ subject, usages: ['client'] });
  }

  signRequest(request: string, content: RequestedCertificate): string {
    const { subject, publicKey, dnsNames, ips } = parseCertificateRequest(request);
    return this.#sign({ ...content, subject, publicKey, hosts: [...dnsNames, ...ips] });
  }

  #issue(content: Pick<CertificateContent, 'subject' | 'hosts' | 'usages'>): KeyedCertificate {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return { cert: this.#sign({ ...validity, ...content, publicKey }), key: pemOf(privateKey) };
  }

  #sign(content: Omit<CertificateContent, 'issuer'>): string {
    return issueCertificate({ ...content, issuer: this.#issuer });
  }
}

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
