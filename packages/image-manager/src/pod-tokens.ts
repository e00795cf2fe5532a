import {
  type ApiCallOptions,
  type Clock,
  NodeAgentError,
  type ObjectGetter,
  type ObjectKey,
  type Pod,
  type ServiceAccount,
  type TokenRequest,
} from '@nodeagent/api';
import { parseTime, podUid } from '@nodeagent/api/helpers';
import type { ServiceAccountCoordinates } from './credentials.js';
import { imageErrorCodes } from './errors.js';

/** Service accounts of the API server. */
export interface ServiceAccounts extends ObjectGetter<ServiceAccount> {
  /** Creates a token (subresource `token`); resolves with the request and its status. */
  createToken(account: ObjectKey, request: TokenRequest, options?: ApiCallOptions): Promise<TokenRequest>;
}

/** Part of a token's lifetime during which it is reused. */
const usableShare = 0.8;
/** Maximum number of cached tokens; the oldest is evicted. */
const maxTokens = 1000;

/** Requests service account tokens that are bound to a pod, and caches each for most of its lifetime. */
export type PodTokens = (pod: Pod, account: ServiceAccountCoordinates, audience: string, signal?: AbortSignal) => Promise<string>;

export function createPodTokens(accounts: Pick<ServiceAccounts, 'createToken'>, clock: Pick<Clock, 'now' | 'monotonic'>): PodTokens {
  const tokens = new Map<string, { token: string; until: number }>();
  return async (pod, { uid, namespace, name }, audience, signal) => {
    const key = JSON.stringify([podUid(pod), uid, namespace, name, audience]);
    const kept = tokens.get(key);
    if (kept && clock.monotonic() < kept.until) return kept.token;

    const { status } = await accounts.createToken({ namespace, name }, tokenRequest(pod, audience), signal ? { signal } : {});
    if (!status?.token)
      throw new NodeAgentError(imageErrorCodes.credentialProviderFailed, `no token of service account ${namespace}/${name}`);
    const now = clock.monotonic();
    const lifetimeMs = (parseTime(status.expirationTimestamp) ?? 0) - clock.now();
    for (const [other, { until }] of tokens) if (until <= now) tokens.delete(other);
    tokens.set(key, { token: status.token, until: now + lifetimeMs * usableShare });
    const [oldest] = tokens.keys();
    if (tokens.size > maxTokens && oldest !== undefined) tokens.delete(oldest);
    return status.token;
  };
}

function tokenRequest(pod: Pod, audience: string): TokenRequest {
  const { name = '' } = pod.metadata ?? {};
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [audience], boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid: podUid(pod) } },
  };
}
