import type { TokenRequest } from '@nodeagent/api';

const maxAgeMs = 24 * 60 * 60 * 1000;
/** Whole seconds by which a refresh is earlier, at random, so that a node's tokens are not renewed all at once. */
const maxJitterSeconds = 10;

type IssuedToken = Pick<TokenRequest, 'spec' | 'status'>;

const tokenExpiry = ({ status }: IssuedToken) => Date.parse(status?.expirationTimestamp ?? '');

export const isTokenExpired = (token: IssuedToken, now: number) => now > tokenExpiry(token);

/** `random` is uniform in [0, 1). */
export const refreshJitterSeconds = (random: number) => Math.floor(random * maxJitterSeconds);

/**
 * Whether a token is to be renewed: after four fifths of its life, or a day. One without a known lifetime never is. Kubernetes
 * documentation, "Managing Service Accounts: bound service account tokens".
 */
export function requiresTokenRefresh(token: IssuedToken, now: number, jitterSeconds: number): boolean {
  const { expirationSeconds } = token.spec;
  if (expirationSeconds === undefined) return false;
  const jitter = jitterSeconds * 1000;
  const expiry = tokenExpiry(token);
  const issued = expiry - expirationSeconds * 1000;
  return now > issued + maxAgeMs - jitter || now > expiry - Math.trunc((expirationSeconds * 20) / 100) * 1000 - jitter;
}
