import { apiStatusOf, type CertificateSigningRequest } from '@nodeagent/api';

/** What became of a CertificateSigningRequest. */
export type RequestOutcome =
  | { state: 'pending' | 'approved' }
  | { state: 'denied' | 'failed'; reason: string; message: string }
  /** The PEM of the issued chain. */
  | { state: 'issued'; certificate: string };

/** Reads the conditions and the certificate of a request. `approved` is approved but not signed yet. A denial or failure overrides the rest. */
export function requestOutcome({ status }: CertificateSigningRequest): RequestOutcome {
  const conditions = status?.conditions ?? [];
  for (const { type, reason = '', message = '' } of conditions) {
    if (type === 'Denied') return { state: 'denied', reason, message };
    if (type === 'Failed') return { state: 'failed', reason, message };
  }
  if (!conditions.some(({ type }) => type === 'Approved')) return { state: 'pending' };
  if (!status?.certificate) return { state: 'approved' };
  return { state: 'issued', certificate: Buffer.from(status.certificate, 'base64').toString() };
}

/**
 * Whether the API server is healthy although it did not accept a request. An agent without a certificate exits only then: a restart does not
 * help against an API server that is away. Unauthorized counts as healthy, because a certificate that the API server does not trust needs a
 * new bootstrap.
 */
export function isHealthyRefusal(error: unknown): boolean {
  const status = apiStatusOf(error);
  if (status === undefined) return false;
  if (status.reason === 'Unauthorized') return true;
  if (status.causes?.some(({ reason }) => reason === 'UnexpectedServerResponse')) return false;
  return status.reason === 'NotFound' || status.reason === 'Forbidden';
}

/** How long the kubelet runs without a client certificate, in milliseconds. */
const exitAfterMs = 5 * 60_000;

/**
 * Whether an agent without a usable client certificate must exit, so that its next start bootstraps again: more than 5 minutes after the
 * certificate was last available, unless the API server is unhealthy.
 */
export function shouldExitWithoutCertificate(input: { lastAvailableAt: number; now: number; isServerHealthy: boolean }): boolean {
  return input.isServerHealthy && input.now - input.lastAvailableAt > exitAfterMs;
}
