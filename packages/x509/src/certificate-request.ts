import { type KeyObject, sign } from 'node:crypto';
import type { CertificateRequestContent } from './content.js';
import { bits, ecdsaWithSha256, integer, oid, sequence, set, tagged } from './der.js';
import { distinguishedName, dnsName, extension, ipAddress } from './names.js';
import { extensionIds, extensionRequestId } from './object-ids.js';
import { encodePem } from './pem.js';

/** Creates a certificate request (PKCS#10, RFC 2986) in PEM format, signed with ECDSA and SHA-256. */
export function createCertificateRequest(content: CertificateRequestContent): string {
  const { subject, publicKey, privateKey, dnsNames = [], ips = [] } = content;
  const names = [...dnsNames.map(dnsName), ...ips.map(ipAddress)];
  const extensions = sequence(extension(extensionIds.subjectAltName, sequence(...names)));
  const requested = sequence(
    integer(Buffer.from([0])),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa0, ...(names.length > 0 ? [sequence(oid(extensionRequestId), set(extensions))] : [])),
  );
  const der = sequence(requested, ecdsaWithSha256, bits(sign('sha256', requested, privateKey as KeyObject)));
  return encodePem('CERTIFICATE REQUEST', der);
}
