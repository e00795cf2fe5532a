import type { TLSSocket } from 'node:tls';
import type { UserInfo } from '@nodeagent/api';

/** What a client's certificate says: who it is, that it cannot be trusted, or nothing. */
export type CertificateVerdict = UserInfo | 'rejected' | undefined;

/**
 * The user of a verified certificate: its common name, with its organizations as groups. Kubernetes documentation: Authenticating, X.509
 * client certificates.
 */
function certificateUser(subject: Readonly<Record<string, string | string[] | undefined>>): UserInfo | undefined {
  const username = [subject.CN ?? []].flat().at(-1);
  if (!username) return undefined;
  return { username, groups: [subject.O ?? []].flat() };
}

/** Looks at the certificate of a connection on which one was asked for; at its end of life with each request anew. */
export function judgeCertificate(socket: Pick<TLSSocket, 'getPeerCertificate' | 'authorized'>, now: number): CertificateVerdict {
  const certificate = socket.getPeerCertificate();
  if (certificate === null || certificate === undefined || Object.keys(certificate).length === 0) return undefined;
  const isInTime = Date.parse(certificate.valid_from) <= now && now <= Date.parse(certificate.valid_to);
  if (!socket.authorized || !isInTime) return 'rejected';
  return certificateUser({ ...certificate.subject });
}
