import { createPrivateKey, X509Certificate } from 'node:crypto';
import { NodeAgentError } from '@nodeagent/api';
import { canonicalIP } from './canonical-ip.js';
import { certificateManagerErrorCodes } from './errors.js';
import type { CertificateFacts } from './rotation-deadline.js';

/** A certificate chain and its private key. */
export interface CertificatePair {
  /** PEM, starting with the certificate of the key. */
  readonly cert: string;
  /** PEM. Not enumerable, so that logs and JSON of the pair lack it. */
  readonly key: string;
  readonly facts: CertificateFacts;
}

/** Creates a pair. Throws `CertificateUnusable` if a part is invalid or the key is not that of the certificate. */
export function createCertificatePair(cert: string, key: string): CertificatePair {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
    if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error('the key is not that of the certificate');
  } catch (cause) {
    throw new NodeAgentError(certificateManagerErrorCodes.certificateUnusable, 'the certificate or its private key is invalid', { cause });
  }
  return Object.defineProperty({ cert, key, facts: factsOf(certificate) }, 'key', { enumerable: false });
}

const blocks = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----\n?/g;

/** Reads a pair from one text or from the texts of a certificate file and a key file. Throws `CertificateUnusable`. */
export function parseCertificatePair(certText: string, keyText = certText): CertificatePair {
  const key = Array.from(keyText.matchAll(blocks)).find(([, label]) => label?.endsWith('PRIVATE KEY'));
  return createCertificatePair(certificateBlocks(certText).join(''), key?.[0] ?? '');
}

/** The facts of all certificates of a PEM text. Throws an Error for an invalid one. */
export function parseCertificateChain(text: string): CertificateFacts[] {
  return certificateBlocks(text).map((block) => factsOf(new X509Certificate(block)));
}

const certificateBlocks = (text: string) =>
  Array.from(text.matchAll(blocks)).flatMap(([block, label]) => (label === 'CERTIFICATE' ? [block] : []));

function factsOf(certificate: X509Certificate): CertificateFacts {
  // In Node 20 toLegacyObject() loads a part of node:tls. If that comes first, tls lacks createSecureContext in the whole process.
  process.getBuiltinModule('node:tls');
  const { subject } = certificate.toLegacyObject() as { subject: Record<string, string | string[] | undefined> };
  const valuesOf = (attribute: string) => [subject?.[attribute] ?? []].flat();
  const names = alternativeNames(certificate.subjectAltName ?? '');
  const namesOf = (kind: string) => names.filter((name) => name.kind === kind).map(({ value }) => value);
  return {
    commonName: valuesOf('CN').at(-1) ?? '',
    organizations: valuesOf('O'),
    dnsNames: namesOf('DNS'),
    ips: namesOf('IP Address').map((ip) => canonicalIP(ip) ?? ip),
    notBefore: Date.parse(certificate.validFrom),
    notAfter: Date.parse(certificate.validTo),
  };
}

/** Reads Node's text of alternative names, which writes values with special characters as JSON strings. */
function alternativeNames(text: string): { kind: string; value: string }[] {
  const entries = text.matchAll(/(?:^|, )([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return Array.from(entries, ([, kind = '', value = '']) => ({ kind, value: value.startsWith('"') ? JSON.parse(value) : value }));
}
