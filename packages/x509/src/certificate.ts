import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, ecdsaWithSha256, integer, oid, sequence, tagged, time, truth } from './der.js';
import { distinguishedName, dnsName, extension, ipAddress } from './names.js';
import { extensionIds } from './object-ids.js';
import { encodePem } from './pem.js';
import type { CertificateSubject } from './subject.js';

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

const usageIds = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };

/** Issues an X.509 certificate (RFC 5280) in PEM format. */
export function issueCertificate(content: CertificateContent): string {
  const { subject, publicKey, issuer, notBefore, notAfter, hosts = [], usages = [], isAuthority = false } = content;
  const extensions = [
    ...(isAuthority ? [extension(extensionIds.basicConstraints, sequence(truth), true)] : []),
    ...(hosts.length > 0 ? [extension(extensionIds.subjectAltName, sequence(...hosts.map(alternativeName)))] : []),
    ...(usages.length > 0 ? [extension(extensionIds.extendedKeyUsage, sequence(...usages.map((usage) => oid(usageIds[usage]))))] : []),
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
  return encodePem('CERTIFICATE', der);
}

const alternativeName = (host: string) => (isIP(host) === 0 ? dnsName(host) : ipAddress(host));
