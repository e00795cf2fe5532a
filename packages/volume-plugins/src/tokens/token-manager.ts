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
  /** The API server's `serviceaccounts/token`. Default: there is no API server, and no tokens. */
  requestToken?: (namespace: string, serviceAccount: string, request: TokenRequest, signal: AbortSignal) => Promise<TokenRequest>;
  /** Whether the API server knows tokens at all; asked after it answered that something is not found. Default: it does. */
  supportsTokenRequests?: (signal: AbortSignal) => Promise<boolean>;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
}

/** Tokens of service accounts, kept in memory and renewed when they are asked for. */
export interface TokenManager {
  /**
   * The kept token if it need not be renewed, or cannot be but is still good; else a new one. Rejects with `TokenUnavailable`. Calls for the
   * same token at the same time may each ask the API server.
   */
  getServiceAccountToken(namespace: string, serviceAccount: string, spec: TokenRequest['spec'], signal: AbortSignal): Promise<string>;
  /** As {@link TokenManager.getServiceAccountToken}, with the time of expiry. A copy. */
  getTokenRequest(namespace: string, serviceAccount: string, spec: TokenRequest['spec'], signal: AbortSignal): Promise<TokenRequest>;
  /** Forgets the tokens that are bound to the pod. */
  deleteServiceAccountToken(podUid: string): void;
  /** Forgets expired tokens; done each minute by itself while there are tokens. */
  cleanUp(): void;
  /** How many tokens are kept. */
  readonly size: number;
  /** Forgets everything. Idempotent. */
  stop(): void;
}

export function createTokenManager(options: TokenManagerOptions): TokenManager {
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
        kept.set(key, { spec: fetched.spec, ...(fetched.status && { status: fetched.status }) });
        scheduleCleanUp();
        return structuredClone(fetched);
      } catch (error) {
        if (!present) throw unavailable(`failed to fetch token: ${errorMessage(error)}`, error);
        if (isTokenExpired(present, clock.now())) {
          throw unavailable(`token ${key} expired and refresh failed: ${errorMessage(error)}`, error);
        }
        logger.warn({ err: error, namespace, serviceAccount }, 'the token is kept until it expires');
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

/** Everything that makes tokens different; holds no secret. */
function tokenKey(namespace: string, serviceAccount: string, spec: TokenRequest['spec']): string {
  const { apiVersion, kind, name, uid } = spec.boundObjectRef ?? {};
  return JSON.stringify([serviceAccount, namespace, spec.audiences ?? [], spec.expirationSeconds, apiVersion, kind, name, uid]);
}

function unavailable(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(volumePluginsErrorCodes.tokenUnavailable, message, { retryable: true, cause });
}
