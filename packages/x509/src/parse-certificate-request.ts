import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { CertificateRequest } from './content.js';
import { invalidRequest, readCertificateRequest, type UnverifiedCertificateRequest } from './read-certificate-request.js';

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
