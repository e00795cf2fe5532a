import {
  type Clock,
  errorMessage,
  type Logger,
  NodeAgentError,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
  type Timer,
  type TokenRequest,
} from '@nodeagent/api';
import { volumePluginsErrorCodes } from '../errors.js';
import { isTokenExpired, refreshJitterSeconds, requiresTokenRefresh } from './token-refresh.js';

const cleanUpPeriodMs = 60_000;

export interface TokenManagerOptions {
  /** Calls the API server's `serviceaccounts/token`. Default: no API server; all requests are rejected. */
  requestToken?: (namespace: string, serviceAccount: string, request: TokenRequest, signal: AbortSignal) => Promise<TokenRequest>;
  /** Whether the API server supports TokenRequest; called after a request got `NotFound`. Default: it does. */
  supportsTokenRequests?: (signal: AbortSignal) => Promise<boolean>;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
}

/** Service account tokens, cached in memory and refreshed on request. */
export interface TokenManager {
  /**
   * Resolves to the cached token if it needs no refresh, or if the refresh fails before it has expired; else to a new one. Rejects with
   * `TokenUnavailable`. Concurrent calls for the same token may each send a request.
   */
  getServiceAccountToken(namespace: string, serviceAccount: string, spec: TokenRequest['spec'], signal: AbortSignal): Promise<string>;
  /** Like {@link TokenManager.getServiceAccountToken}, with the expiration time. Returns a copy. */
  getTokenRequest(namespace: string, serviceAccount: string, spec: TokenRequest['spec'], signal: AbortSignal): Promise<TokenRequest>;
  /** Deletes the tokens that are bound to the pod. */
  deleteServiceAccountToken(podUid: string): void;
  /** Deletes expired tokens; runs each minute while tokens are cached. */
  cleanUp(): void;
  /** Number of cached tokens. */
  readonly size: number;
  /** Deletes all tokens and stops the timer. Idempotent. */
  stop(): void;
}

export function createTokenManager(options: TokenManagerOptions = {}): TokenManager {
  const { clock = systemClock, random = systemRandom, logger = silentLogger, requestToken, supportsTokenRequests } = options;
  const kept = new Map<string, TokenRequest>();
  let timer: Timer | undefined;

  function cleanUp(): void {
    for (const [key, token] of kept) if (isTokenExpired(token, clock.now())) kept.delete(key);
  }

  function scheduleCleanUp(): void {
    timer ??= clock.setTimeout(() => {
      timer = undefined;
      cleanUp();
      if (kept.size > 0) scheduleCleanUp();
    }, cleanUpPeriodMs);
  }

  async function fetchToken(
    namespace: string,
    serviceAccount: string,
    spec: TokenRequest['spec'],
    signal: AbortSignal,
  ): Promise<TokenRequest> {
    if (!requestToken) throw unavailable('cannot use TokenManager when kubelet is in standalone mode');
    try {
      return await requestToken(namespace, serviceAccount, { spec }, signal);
    } catch (error) {
      const isMissing = (error as { details?: { status?: { code?: number } } }).details?.status?.code === 404;
      if (isMissing && supportsTokenRequests && !(await supportsTokenRequests(signal))) {
        throw unavailable('the API server does not have TokenRequest endpoints enabled', error);
      }
      throw error;
    }
  }

  const manager: TokenManager = {
    async getTokenRequest(namespace, serviceAccount, spec, signal) {
      const key = tokenKey(namespace, serviceAccount, spec);
      const present = kept.get(key);
      if (present && !requiresTokenRefresh(present, clock.now(), refreshJitterSeconds(random()))) return structuredClone(present);
      try {
        const fetched = await fetchToken(namespace, serviceAccount, spec, signal);
        // Bound as requested, not as in the response: else the token could be kept after its pod is removed.
        const boundTo = spec.boundObjectRef && { boundObjectRef: spec.boundObjectRef };
        kept.set(key, { spec: { ...fetched.spec, ...boundTo }, ...(fetched.status && { status: fetched.status }) });
        scheduleCleanUp();
        return structuredClone(fetched);
      } catch (error) {
        if (!present) throw unavailable(`failed to fetch token: ${errorMessage(error)}`, error);
        if (isTokenExpired(present, clock.now())) {
          throw unavailable(`token ${key} expired and refresh failed: ${errorMessage(error)}`, error);
        }
        logger.warn({ err: error, namespace, serviceAccount }, 'could not refresh the token, using the cached one until it expires');
        return structuredClone(present);
      }
    },
    async getServiceAccountToken(...request) {
      return (await manager.getTokenRequest(...request)).status?.token ?? '';
    },
    deleteServiceAccountToken(podUid) {
      for (const [key, { spec }] of kept) if (spec.boundObjectRef?.uid === podUid) kept.delete(key);
    },
    cleanUp,
    get size() {
      return kept.size;
    },
    stop() {
      timer?.cancel();
      timer = undefined;
      kept.clear();
    },
  };
  return manager;
}

/** The cache key; has no secret. */
function tokenKey(namespace: string, serviceAccount: string, spec: TokenRequest['spec']): string {
  const { apiVersion, kind, name, uid } = spec.boundObjectRef ?? {};
  return JSON.stringify([serviceAccount, namespace, spec.audiences ?? [], spec.expirationSeconds, apiVersion, kind, name, uid]);
}

function unavailable(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(volumePluginsErrorCodes.tokenUnavailable, message, { retryable: true, cause });
}
