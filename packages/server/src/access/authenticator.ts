import type { Clock, Logger, ObjectCreator, Random, TokenReview, UserInfo } from '@nodeagent/api';
import { completeSettings, type GivenSettings } from '@nodeagent/api/helpers';
import { authenticationSettings } from '../settings.js';
import type { CertificateVerdict } from './client-certificate.js';
import { retryReview } from './retry-review.js';
import { createReviewCache } from './review-cache.js';

/**
 * Authentication settings with the names of KubeletConfiguration's `authentication`. Client certificates are accepted if a client CA is
 * configured.
 */
export interface AuthenticationOptions extends GivenSettings<typeof authenticationSettings> {
  /** Authenticates bearer tokens at the API server (`webhook`). Default: tokens are ignored. */
  tokenReviews?: ObjectCreator<TokenReview>;
}

/** The credentials of a request. */
interface RequestCredentials {
  certificate: CertificateVerdict;
  token: string | undefined;
}

/** Returns the authenticated user; undefined if authentication failed. Rejects only when the signal aborts. */
export type Authenticator = (credentials: RequestCredentials, signal: AbortSignal) => Promise<UserInfo | undefined>;

export interface AuthenticatorPorts {
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Aborts when the server stops. */
  ended: AbortSignal;
}

const rememberedTokens = 4096;
/** The user name of requests without credentials, if anonymous access is enabled. */
export const anonymousUser = 'system:anonymous';
const authenticated = 'system:authenticated';

/**
 * Tries the client certificate, then the token, then anonymous access. A request with rejected credentials is not anonymous. Kubernetes
 * documentation: Kubelet authentication/authorization.
 */
export function createAuthenticator(options: AuthenticationOptions, ports: AuthenticatorPorts): Authenticator {
  const { tokenReviews } = options;
  const { anonymous, cacheTTLMs: ttlMs } = completeSettings(authenticationSettings, options, 'https.authentication');
  const { clock, logger, ended } = ports;
  const tokens = createReviewCache<UserInfo | undefined>({ size: rememberedTokens, clock });

  const review = async (reviews: ObjectCreator<TokenReview>, token: string) => {
    const asked: TokenReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const { status } = await retryReview(() => reviews.create(asked, { signal: ended }), { ...ports, signal: ended });
    return { value: status?.authenticated ? status.user : undefined, ttlMs };
  };

  return async ({ certificate, token }, signal) => {
    if (typeof certificate === 'object') return withGroup(certificate);
    if (token !== undefined && tokenReviews !== undefined) {
      try {
        const user = await tokens.get(token, () => review(tokenReviews, token), signal);
        return user && withGroup(user);
      } catch (error) {
        signal.throwIfAborted();
        logger.warn({ err: error }, 'cannot review a token');
        return undefined;
      }
    }
    if (certificate === 'rejected' || !anonymous) return undefined;
    return { username: anonymousUser, groups: ['system:unauthenticated'] };
  };
}

function withGroup(user: UserInfo): UserInfo {
  const groups = user.groups ?? [];
  return groups.includes(authenticated) ? user : { ...user, groups: [...groups, authenticated] };
}
