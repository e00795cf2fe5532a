import type { Clock, Logger, Random, SubjectAccessReview, UserInfo } from '@nodeagent/api';
import { completeSettings } from '@nodeagent/api/helpers';
import { forbiddenText, type RequestAttributes } from '../auth-attributes.js';
import type { RouteRefusal } from '../refusal.js';
import { authorizationSettings } from '../settings.js';
import type { AuthorizationOptions } from './authorization-options.js';
import { retryReview } from './retry-review.js';
import { createReviewCache } from './review-cache.js';

/** Returns why a request is denied; undefined if it is allowed. Rejects only when the signal aborts. */
export type AccessAuthorizer = (user: UserInfo, attributes: RequestAttributes, signal: AbortSignal) => Promise<RouteRefusal | undefined>;

export interface AuthorizerPorts {
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Aborts when the server stops. */
  ended: AbortSignal;
}

const rememberedAnswers = 8192;

/** Reviews the subresources in order until one is allowed. Kubernetes documentation: Kubelet authentication/authorization. */
export function createAuthorizer(options: AuthorizationOptions, ports: AuthorizerPorts): AccessAuthorizer {
  if (options.mode === 'AlwaysAllow') return async () => undefined;
  const { subjectAccessReviews } = options;
  const { cacheAuthorizedTTLMs, cacheUnauthorizedTTLMs } = completeSettings(authorizationSettings, options, 'https.authorization');
  const { clock, logger, ended } = ports;
  const answers = createReviewCache<boolean>({ size: rememberedAnswers, clock });

  const review = async (spec: SubjectAccessReview['spec']) => {
    const asked: SubjectAccessReview = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    const { status } = await retryReview(() => subjectAccessReviews.create(asked, { signal: ended }), { ...ports, signal: ended });
    const value = status?.allowed === true && status.denied !== true;
    return { value, ttlMs: value ? cacheAuthorizedTTLMs : cacheUnauthorizedTTLMs };
  };

  return async (user, attributes, signal) => {
    const { verb, resource, name, subresources } = attributes;
    const { username = '', uid, groups, extra } = user;
    for (const subresource of subresources) {
      const spec: SubjectAccessReview['spec'] = {
        user: username,
        ...(groups && { groups }),
        ...(uid && { uid }),
        ...(extra && { extra }),
        resourceAttributes: { verb, version: 'v1', resource, subresource, name },
      };
      try {
        if (await answers.get(JSON.stringify(spec), () => review(spec), signal)) return undefined;
      } catch (error) {
        signal.throwIfAborted();
        const what = `Authorization error (user=${username}, verb=${verb}, resource=${resource}, subresource=${subresource})`;
        logger.warn({ err: error }, what);
        return { status: 500, body: what };
      }
    }
    return { status: 403, body: forbiddenText(username, attributes) };
  };
}
