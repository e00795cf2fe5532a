import { NodeAgentError } from '@nodeagent/api';
import { type DerValue, decodeOid, readValues } from './der-reader.js';
import { x509ErrorCodes } from './errors.js';
import { alternativeNameTags, attributeIds, extensionIds, extensionRequestId } from './object-ids.js';
import { decodePem } from './pem.js';
import type { CertificateSubject } from './subject.js';

/** The content of a certificate request whose signature is not verified: anyone can have written it. */
export interface UnverifiedCertificateRequest {
  subject: Required<CertificateSubject>;
  dnsNames: string[];
  /** In canonical notation. */
  ips: string[];
  /** The public key: DER of a SubjectPublicKeyInfo. */
  publicKeyInfo: Uint8Array;
  /** The bytes that the signature covers. */
  signed: Uint8Array;
  signature: Uint8Array;
}

/** Reads a certificate request (PKCS#10) without verifying its signature. Throws `InvalidCertificateRequest`. */
export function readCertificateRequest(pem: string): UnverifiedCertificateRequest {
  try {
    return read(pem);
  } catch (cause) {
    throw invalidRequest(cause);
  }
}

export const invalidRequest = (cause: unknown) =>
  new NodeAgentError(x509ErrorCodes.invalidCertificateRequest, 'the certificate request is invalid', { cause });

function read(pem: string): UnverifiedCertificateRequest {
  const der = decodePem('CERTIFICATE REQUEST', pem);
  if (der === undefined) throw new Error('there is no PEM block CERTIFICATE REQUEST');
  const [request, ...more] = readValues(der);
  if (more.length > 0) throw new Error('there are bytes after the request');
  const [requested, , signature] = children(request);
  const [, subject, publicKeyInfo, attributes] = children(requested);
  return {
    subject: subjectOf(present(subject)),
    ...alternativeNames(attributes),
    publicKeyInfo: present(publicKeyInfo).encoded,
    signed: present(requested).encoded,
    // The first byte of a bit string counts its unused bits.
    signature: present(signature).content.subarray(1),
  };
}

function subjectOf(name: DerValue): Required<CertificateSubject> {
  const attributes = children(name).flatMap(children).map(children);
  const valuesOf = (id: string) =>
    attributes.flatMap(([type, value]) => (decodeOid(present(type).content) === id ? [textOf(present(value).content)] : []));
  return { commonName: valuesOf(attributeIds.commonName)[0] ?? '', organizations: valuesOf(attributeIds.organization) };
}

function alternativeNames(attributes: DerValue | undefined): { dnsNames: string[]; ips: string[] } {
  const requests = attributes === undefined ? [] : entriesOf(children(attributes), extensionRequestId);
  const extensions = requests.flatMap(children).flatMap(children);
  const names = entriesOf(extensions, extensionIds.subjectAltName).flatMap(({ content }) => children(first(readValues(content))));
  const contentsOf = (tag: number) => names.filter((name) => name.tag === tag).map(({ content }) => content);
  return {
    dnsNames: contentsOf(alternativeNameTags.dns).map(textOf),
    ips: contentsOf(alternativeNameTags.ip).map(addressOf),
  };
}

/** The last members of the entries with that object identifier. */
function entriesOf(entries: readonly DerValue[], id: string): DerValue[] {
  return entries.map(children).flatMap((members) => (decodeOid(first(members).content) === id ? members.slice(-1) : []));
}

function addressOf(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) throw new Error(`an IP address has 4 or 16 bytes, not ${bytes.length}`);
  const groups = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0)).toString(16));
  // The URL parser shortens an address to its canonical notation.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const textOf = (bytes: Uint8Array) => decoder.decode(bytes);

const children = (value: DerValue | undefined) => readValues(present(value).content);
const first = (values: readonly DerValue[]) => present(values[0]);

function present(value: DerValue | undefined): DerValue {
  if (value === undefined) throw new Error('a member is missing');
  return value;
}
