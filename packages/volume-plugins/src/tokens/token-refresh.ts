import type { TokenRequest } from '@nodeagent/api';

const maxAgeMs = 24 * 60 * 60 * 1000;
/** Maximum random time in seconds by which a refresh is earlier, so that a node's tokens are not refreshed all at once. */
const maxJitterSeconds = 10;

type IssuedToken = Pick<TokenRequest, 'spec' | 'status'>;

const tokenExpiry = ({ status }: IssuedToken) => Date.parse(status?.expirationTimestamp ?? '');

export const isTokenExpired = (token: IssuedToken, now: number) => now > tokenExpiry(token);

/** `random` is uniform in [0, 1). */
export const refreshJitterSeconds = (random: number) => Math.floor(random * maxJitterSeconds);

/**
 * Whether a token must be refreshed: after 80 % of its lifetime, or a day. A token of unknown lifetime never. Kubernetes
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
