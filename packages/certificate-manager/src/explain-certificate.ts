import { formatTime } from '@nodeagent/api/helpers';
import { type CertificateFacts, isUnexpired } from './rotation-deadline.js';

/** What the manager does: it waits for the rotation deadline, for a template, for the signer, or for its next attempt. */
export type CertificatePhase = 'stopped' | 'waiting' | 'noTemplate' | 'requesting' | 'backingOff';

export interface CertificateState {
  phase: CertificatePhase;
  certificate: CertificateFacts | undefined;
  /** Milliseconds since 1970. */
  now: number;
  /** When the current certificate is rotated, in milliseconds since 1970. */
  rotateAt?: number | undefined;
  /** Failed attempts of this rotation. */
  failures: number;
  /** The last failure, and when the next attempt starts. */
  lastError?: string | undefined;
  nextAttemptAt?: number | undefined;
}

/** The state of a certificate and what is expected next, in one line. */
export function explainCertificate(state: CertificateState): string {
  return `${validity(state)}; ${activity(state)}`;
}

function validity({ certificate, now }: CertificateState): string {
  if (certificate === undefined) return 'no certificate';
  const { commonName, notBefore, notAfter } = certificate;
  if (!isUnexpired(certificate, now)) return `the certificate of ${commonName} expired at ${formatTime(notAfter)}`;
  if (now < notBefore) {
    const [from, at] = [formatTime(notBefore), formatTime(now)];
    return `the certificate of ${commonName} is valid from ${from}, but it is ${at}: check the clocks of the node and the signer`;
  }
  return `the certificate of ${commonName} is valid until ${formatTime(notAfter)}`;
}

function activity({ phase, rotateAt, failures, lastError, nextAttemptAt }: CertificateState): string {
  if (phase === 'stopped') return 'rotation is off';
  if (phase === 'noTemplate') return 'waiting for an IP address of the node';
  if (phase === 'waiting') return rotateAt === undefined ? 'rotation starts' : `rotation at ${formatTime(rotateAt)}`;
  const failed = failures === 0 ? '' : `, after ${failures} failed attempts, the last: ${lastError}`;
  if (phase === 'requesting') return `waiting for the signer${failed}`;
  return `the next request is at ${formatTime(nextAttemptAt ?? 0)}${failed}`;
}
