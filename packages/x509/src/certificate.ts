import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import type { CertificateContent } from './content.js';
import { bits, ecdsaWithSha256, integer, oid, sequence, tagged, time, truth } from './der.js';
import { distinguishedName, dnsName, extension, ipAddress } from './names.js';
import { extensionIds } from './object-ids.js';
import { encodePem } from './pem.js';

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
