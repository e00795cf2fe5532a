import type { Clock, Logger, ObjectCreator, Random, TokenReview, UserInfo } from '@nodeagent/api';
import { askAgain } from './ask-again.js';
import type { CertificateVerdict } from './client-certificate.js';
import { createReviewCache } from './review-cache.js';

/** Who may come in; names of KubeletConfiguration's `authentication`. Client certificates count if there is a CA for them. */
export interface AuthenticationOptions {
  /** Whether who shows nothing is `system:anonymous`. Default false. */
  anonymous?: boolean;
  /** Asks the API server whose token it is (`webhook`). Default: tokens are not looked at. */
  tokenReviews?: ObjectCreator<TokenReview>;
  /** How long its answers count, in milliseconds. Default 2 min. */
  cacheTTLMs?: number;
}

/** What a request shows. */
interface RequestCredentials {
  certificate: CertificateVerdict;
  token: string | undefined;
}

/** Tells who someone is; undefined for nobody. Rejects only when the signal aborts. */
export type Authenticator = (credentials: RequestCredentials, signal: AbortSignal) => Promise<UserInfo | undefined>;

export interface AuthenticatorPorts {
  clock: Clock;
  random: Random;
  logger: Logger;
  /** The server's end. */
  ended: AbortSignal;
}

const rememberedTokens = 4096;
/** The name of a client without credentials, where that is allowed. */
export const anonymousUser = 'system:anonymous';
const authenticated = 'system:authenticated';

/**
 * Certificate, then token, then anonymous; a credential that is refused makes nobody anonymous. Kubernetes documentation: Kubelet
 * authentication/authorization.
 */
export function createAuthenticator(options: AuthenticationOptions, ports: AuthenticatorPorts): Authenticator {
  const { anonymous = false, tokenReviews, cacheTTLMs: ttlMs = 120_000 } = options;
  const { clock, logger, ended } = ports;
  const tokens = createReviewCache<UserInfo | undefined>({ size: rememberedTokens, clock });

  const review = async (reviews: ObjectCreator<TokenReview>, token: string) => {
    const asked: TokenReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const { status } = await askAgain(() => reviews.create(asked, { signal: ended }), { ...ports, signal: ended });
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
        logger.warn({ err: error }, 'a token cannot be checked');
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
