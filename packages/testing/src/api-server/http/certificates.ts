import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, integer, octets, oid, sequence, set, tagged, text, truth, utcTime } from './der.js';

/** A certificate and its private key, both PEM. */
export interface KeyedCertificate {
  cert: string;
  key: string;
}

/** Who a certificate speaks for: RFC 5280; in Kubernetes a user and the groups of the user. */
export interface CertificateSubject {
  commonName: string;
  organizations?: readonly string[];
}

/** A certificate authority that lives as long as the test that made it; what it issues is good until 2049. */
export interface TestAuthority {
  /** Its own certificate, PEM. */
  readonly cert: string;
  /** A certificate for a server under these names and IPv4 addresses. */
  issueServer(hosts: readonly string[]): KeyedCertificate;
  /** A certificate by which a client is a user. */
  issueClient(subject: CertificateSubject): KeyedCertificate;
}

/** Makes a {@link TestAuthority} with a key of its own. */
export function createTestAuthority(): TestAuthority {
  return new EcdsaAuthority();
}

/** Good for as long as two-digit years go, so that no test ever meets an expired one. */
const validity = sequence(utcTime('200101000000Z'), utcTime('491231235959Z'));
const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
const usages = { server: oid('1.3.6.1.5.5.7.3.1'), client: oid('1.3.6.1.5.5.7.3.2') };

function name({ commonName, organizations = [] }: CertificateSubject): Buffer {
  const part = (type: string, value: string) => set(sequence(oid(type), text(value)));
  return sequence(...organizations.map((each) => part('2.5.4.10', each)), part('2.5.4.3', commonName));
}

function alternativeName(host: string): Buffer {
  if (isIP(host) === 4) return tagged(0x87, Buffer.from(host.split('.').map(Number)));
  return tagged(0x82, Buffer.from(host));
}

const extension = (id: string, value: Uint8Array, critical = false) => sequence(oid(id), ...(critical ? [truth] : []), octets(value));

class EcdsaAuthority implements TestAuthority {
  readonly #key: KeyObject;
  readonly #name = name({ commonName: 'kubernetes' });
  readonly cert: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.cert = this.#certificate(this.#name, publicKey, [extension('2.5.29.19', sequence(truth), true)]);
  }

  issueServer(hosts: readonly string[]): KeyedCertificate {
    const names = extension('2.5.29.17', sequence(...hosts.map(alternativeName)));
    return this.#issue({ commonName: 'kube-apiserver' }, [names, extension('2.5.29.37', sequence(usages.server))]);
  }

  issueClient(subject: CertificateSubject): KeyedCertificate {
    return this.#issue(subject, [extension('2.5.29.37', sequence(usages.client))]);
  }

  #issue(subject: CertificateSubject, extensions: Buffer[]): KeyedCertificate {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { cert: this.#certificate(name(subject), publicKey, extensions), key };
  }

  #certificate(subject: Buffer, publicKey: KeyObject, extensions: Buffer[]): string {
    const content = sequence(
      tagged(0xa0, integer(Buffer.from([2]))),
      integer(randomBytes(16)),
      ecdsaWithSha256,
      this.#name,
      validity,
      subject,
      publicKey.export({ type: 'spki', format: 'der' }),
      tagged(0xa3, sequence(...extensions)),
    );
    const der = sequence(content, ecdsaWithSha256, bits(sign('sha256', content, this.#key)));
    const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
    return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  }
}
