import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, integer, octets, oid, sequence, set, tagged, text, time, truth } from './der.js';

/** The subject of a certificate (RFC 5280). In Kubernetes: a user name and the user's groups. */
export interface CertificateSubject {
  commonName: string;
  organizations?: readonly string[];
}

/** The members of node:crypto's `KeyObject` that this package uses, so that its types do not depend on @types/node. */
export interface CertificateKey {
  readonly type: string;
  export(options: { type: 'spki'; format: 'der' }): Uint8Array;
}

/** The content of a certificate. */
export interface CertificateContent {
  subject: CertificateSubject;
  /** The subject's public key, of any type that Node supports. */
  publicKey: CertificateKey;
  /** The issuer, with an elliptic-curve key on P-256. For a self-signed certificate: the subject with its own key. */
  issuer: { subject: CertificateSubject; privateKey: CertificateKey };
  /** Milliseconds since 1970. */
  notBefore: number;
  notAfter: number;
  /** DNS names and IP addresses of a server. */
  hosts?: readonly string[];
  /** Extended key usages. Default: no restriction. */
  usages?: readonly ('server' | 'client')[];
  /** Whether it is a certificate authority. Default false. */
  isAuthority?: boolean;
}

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
const usageIds = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };

/** Issues an X.509 certificate (RFC 5280) in PEM format. */
export function issueCertificate(content: CertificateContent): string {
  const { subject, publicKey, issuer, notBefore, notAfter, hosts = [], usages = [], isAuthority = false } = content;
  const extensions = [
    ...(isAuthority ? [extension('2.5.29.19', sequence(truth), true)] : []),
    ...(hosts.length > 0 ? [extension('2.5.29.17', sequence(...hosts.map(alternativeName)))] : []),
    ...(usages.length > 0 ? [extension('2.5.29.37', sequence(...usages.map((usage) => oid(usageIds[usage]))))] : []),
  ];
  const certified = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    ecdsaWithSha256,
    distinguishedName(issuer.subject),
    sequence(time(notBefore), time(notAfter)),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [tagged(0xa3, sequence(...extensions))] : []),
  );
  const der = sequence(certified, ecdsaWithSha256, bits(sign('sha256', certified, issuer.privateKey as KeyObject)));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName({ commonName, organizations = [] }: CertificateSubject): Buffer {
  const part = (type: string, value: string) => set(sequence(oid(type), text(value)));
  return sequence(...organizations.map((each) => part('2.5.4.10', each)), part('2.5.4.3', commonName));
}

const extension = (id: string, value: Uint8Array, critical = false) => sequence(oid(id), ...(critical ? [truth] : []), octets(value));

function alternativeName(host: string): Buffer {
  const family = isIP(host);
  if (family === 0) return tagged(0x82, Buffer.from(host));
  return tagged(0x87, family === 4 ? Buffer.from(host.split('.').map(Number)) : ipv6Bytes(host));
}

/** Uses the URL parser to normalise the address to its shortest form: hexadecimal groups with at most one `::`. */
function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const all = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
