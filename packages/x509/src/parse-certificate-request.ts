import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { CertificateKey } from './certificate.js';
import { invalidRequest, readCertificateRequest, type UnverifiedCertificateRequest } from './read-certificate-request.js';
import type { CertificateSubject } from './subject.js';

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
  const request = readCertificateRequest(pem);
  const { subject, dnsNames, ips } = request;
  try {
    return { subject, publicKey: verifiedKey(request), dnsNames, ips };
  } catch (cause) {
    throw invalidRequest(cause);
  }
}

function verifiedKey({ publicKeyInfo, signed, signature }: UnverifiedCertificateRequest): KeyObject {
  const publicKey = createPublicKey({ key: Buffer.from(publicKeyInfo), type: 'spki', format: 'der' });
  if (!verify('sha256', signed, publicKey, signature)) throw new Error('the signature is not by the key of the request');
  return publicKey;
}
