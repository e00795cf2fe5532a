import { formatTime } from '@nodeagent/api/helpers';
import type { CertificateTemplate } from './certificate-template.js';
import { type CertificateFacts, isUnexpired, rotationDeadline, satisfiesTemplate } from './rotation-deadline.js';

/**
 * Why a certificate that was just issued must be rotated again at once; undefined if it need not. Without a back-off in this case, a wrong
 * clock or a signer that drops names would cause a request a second.
 */
export function issuedProblem(certificate: CertificateFacts, template: CertificateTemplate, now: number): string | undefined {
  if (!isUnexpired(certificate, now)) {
    const [expired, at] = [formatTime(certificate.notAfter), formatTime(now)];
    return `the issued certificate expired at ${expired}, but it is ${at}: check the clocks of the node and the signer`;
  }
  if (!satisfiesTemplate(certificate, template)) return 'the issued certificate lacks a name, address or organization of the request';
  const earliest = rotationDeadline({ certificate, template, forceRotation: false, now, random: 0 });
  if (earliest > BigInt(now) * 1_000_000n) return undefined;
  return `the issued certificate is valid until ${formatTime(certificate.notAfter)}, and due for rotation: check the clocks of the node and the signer`;
}
