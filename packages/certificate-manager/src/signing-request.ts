import { createHash } from 'node:crypto';
import type { CertificateSigningRequest } from '@nodeagent/api';
import type { CertificateTemplate } from './certificate-template.js';

/** What a certificate of a node is for. */
export type CertificateRole = 'client' | 'serving';

const roles = {
  client: { signerName: 'kubernetes.io/kube-apiserver-client-kubelet', usage: 'client auth' },
  serving: { signerName: 'kubernetes.io/kubelet-serving', usage: 'server auth' },
} as const;

export interface SigningRequestInput {
  role: CertificateRole;
  /** The PKCS#10 request in PEM format, for an elliptic-curve key. */
  csr: string;
  /** The requested lifetime. Absent: the signer decides. */
  expirationSeconds?: number | undefined;
  /** Absent: the API server generates a name that starts with `csr-`. */
  name?: string | undefined;
}

/** The CertificateSigningRequest that the kubelet creates. */
export function signingRequest({ role, csr, expirationSeconds, name }: SigningRequestInput): CertificateSigningRequest {
  const { signerName } = roles[role];
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: name === undefined ? { generateName: 'csr-' } : { name },
    spec: {
      request: Buffer.from(csr).toString('base64'),
      signerName,
      usages: keyUsages(role),
      ...(expirationSeconds !== undefined && { expirationSeconds }),
    },
  };
}

/** The usages of an elliptic-curve key. A key of RSA would also encipher other keys. */
export function keyUsages(role: CertificateRole): string[] {
  return ['digital signature', roles[role].usage];
}

/**
 * The name of the request of a node without rotation, `node-csr-<hash>`: the same for one key and subject, so that a kubelet that restarts
 * finds its own request.
 *
 * @param publicKey the DER of the key (SubjectPublicKeyInfo)
 */
export function bootstrapRequestName(publicKey: Uint8Array, { commonName, organizations }: CertificateTemplate): string {
  const hash = createHash('sha512-256');
  for (const part of [publicKey, commonName, ...organizations, ...keyUsages('client')]) {
    hash.update(`${Buffer.from(part).toString('base64url')}|`);
  }
  return `node-csr-${hash.digest('base64url')}`;
}
