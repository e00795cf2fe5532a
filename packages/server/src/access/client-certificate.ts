import type { TLSSocket } from 'node:tls';
import type { UserInfo } from '@nodeagent/api';

/** The result of a client certificate: a user, `rejected`, or undefined without a certificate. */
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

/** Evaluates the client certificate of a connection; checks its expiry at each request. */
export function judgeCertificate(socket: Pick<TLSSocket, 'getPeerCertificate' | 'authorized'>, now: number): CertificateVerdict {
  const certificate = socket.getPeerCertificate();
  if (certificate === null || certificate === undefined || Object.keys(certificate).length === 0) return undefined;
  const isInTime = Date.parse(certificate.valid_from) <= now && now <= Date.parse(certificate.valid_to);
  if (!socket.authorized || !isInTime) return 'rejected';
  return certificateUser({ ...certificate.subject });
}
