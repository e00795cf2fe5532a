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

/** The content of a certificate request. */
export interface CertificateRequestContent {
  subject: CertificateSubject;
  /** The subject's key pair: an elliptic-curve key on P-256. */
  publicKey: CertificateKey;
  privateKey: CertificateKey;
  dnsNames?: readonly string[];
  ips?: readonly string[];
}

/** A parsed certificate request. */
export interface CertificateRequest {
  subject: Required<CertificateSubject>;
  publicKey: CertificateKey;
  dnsNames: string[];
  /** In canonical notation. */
  ips: string[];
}
