import { createPublicKey, verify } from 'node:crypto';
import { SocketAddress } from 'node:net';
import { NodeAgentError } from '@nodeagent/api';
import type { CertificateKey } from './certificate.js';
import { extensionRequestId } from './certificate-request.js';
import { type DerValue, decodeOid, readValues } from './der-reader.js';
import { x509ErrorCodes } from './errors.js';
import { alternativeNameTags, attributeIds, type CertificateSubject, extensionIds } from './names.js';
import { decodePem } from './pem.js';

/** A parsed certificate request. */
export interface CertificateRequest {
  subject: Required<CertificateSubject>;
  publicKey: CertificateKey;
  dnsNames: string[];
  /** In canonical notation. */
  ips: string[];
}

/**
 * Parses a certificate request (PKCS#10) with a signature by ECDSA or RSA with SHA-256, and verifies the signature. Throws
 * `InvalidCertificateRequest`.
 */
export function parseCertificateRequest(pem: string): CertificateRequest {
  try {
    return parse(pem);
  } catch (cause) {
    throw new NodeAgentError(x509ErrorCodes.invalidCertificateRequest, 'the certificate request is invalid', { cause });
  }
}

function parse(pem: string): CertificateRequest {
  const der = decodePem('CERTIFICATE REQUEST', pem);
  if (der === undefined) throw new Error('there is no PEM block CERTIFICATE REQUEST');
  const [request, ...more] = readValues(der);
  if (more.length > 0) throw new Error('there are bytes after the request');
  const [requested, , signature] = children(request);
  const [, subject, spki, attributes] = children(requested);
  const publicKey = createPublicKey({ key: present(spki).encoded, type: 'spki', format: 'der' });
  // The first byte of a bit string counts its unused bits.
  if (!verify('sha256', present(requested).encoded, publicKey, present(signature).content.subarray(1))) {
    throw new Error('the signature is not by the key of the request');
  }
  return { subject: subjectOf(present(subject)), publicKey, ...alternativeNames(attributes) };
}

function subjectOf(name: DerValue): Required<CertificateSubject> {
  const attributes = children(name).flatMap(children).map(children);
  const valuesOf = (id: string) =>
    attributes.flatMap(([type, value]) => (decodeOid(present(type).content) === id ? [present(value).content.toString()] : []));
  return { commonName: valuesOf(attributeIds.commonName)[0] ?? '', organizations: valuesOf(attributeIds.organization) };
}

function alternativeNames(attributes: DerValue | undefined): { dnsNames: string[]; ips: string[] } {
  const requests = attributes === undefined ? [] : entriesOf(children(attributes), extensionRequestId);
  const extensions = requests.flatMap(children).flatMap(children);
  const names = entriesOf(extensions, extensionIds.subjectAltName).flatMap(({ content }) => children(first(readValues(content))));
  const contentsOf = (tag: number) => names.filter((name) => name.tag === tag).map(({ content }) => content);
  return {
    dnsNames: contentsOf(alternativeNameTags.dns).map(String),
    ips: contentsOf(alternativeNameTags.ip).map(addressOf),
  };
}

/** The last members of the entries with that object identifier. */
function entriesOf(entries: readonly DerValue[], id: string): DerValue[] {
  return entries.map(children).flatMap((members) => (decodeOid(first(members).content) === id ? members.slice(-1) : []));
}

function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) throw new Error(`an IP address has 4 or 16 bytes, not ${bytes.length}`);
  const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

const children = (value: DerValue | undefined) => readValues(present(value).content);
const first = (values: readonly DerValue[]) => present(values[0]);

function present(value: DerValue | undefined): DerValue {
  if (value === undefined) throw new Error('a member is missing');
  return value;
}
