import type { ApiObject } from '../objects.js';
import { badRequest } from '../status.js';
import type { Authorizer } from './authorizer.js';
import type { RequestUser } from './user.js';

/** Ports of reviews. */
export interface ReviewPorts {
  authorize: Authorizer;
  /** The user of a bearer token. */
  authenticate(token: string, audiences?: readonly string[]): RequestUser | undefined;
}

interface ReviewSpec {
  token?: string;
  audiences?: string[];
  user?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
  resourceAttributes?: {
    verb?: string;
    group?: string;
    version?: string;
    resource?: string;
    subresource?: string;
    namespace?: string;
    name?: string;
  };
  nonResourceAttributes?: { path?: string; verb?: string };
}

/** Fills in a review, an object that is created but not stored: Kubernetes API reference, "TokenReview" and others. */
export function review(body: ApiObject, kind: string, caller: RequestUser, ports: ReviewPorts): ApiObject {
  const spec = (body.spec ?? {}) as ReviewSpec;
  const answer = (status: unknown): ApiObject => ({ ...body, kind, metadata: body.metadata ?? {}, status });
  switch (kind) {
    case 'TokenReview': {
      if (!spec.token) throw badRequest('spec.token: Required value');
      const user = ports.authenticate(spec.token, spec.audiences);
      return answer(user ? { authenticated: true, user, ...(spec.audiences && { audiences: spec.audiences }) } : { user: {} });
    }
    case 'SelfSubjectReview':
      return answer({ userInfo: caller });
    case 'SelfSubjectRulesReview':
      return answer({ resourceRules: [], nonResourceRules: [], incomplete: true });
    default: {
      const self = kind === 'SelfSubjectAccessReview';
      const { user = '', uid, groups, extra } = spec;
      const subject = self ? caller : { username: user, ...(uid && { uid }), ...(groups && { groups }), ...(extra && { extra }) };
      return answer(decide(spec, subject, ports.authorize));
    }
  }
}

function decide({ resourceAttributes, nonResourceAttributes }: ReviewSpec, user: RequestUser, authorize: Authorizer): unknown {
  if (!resourceAttributes === !nonResourceAttributes) {
    throw badRequest('spec.resourceAttributes: exactly one of nonResourceAttributes or resourceAttributes must be specified');
  }
  const { allowed, reason } = authorize(
    resourceAttributes
      ? { ...resourceAttributes, user, isResource: true, verb: resourceAttributes.verb ?? '' }
      : { user, isResource: false, verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' },
  );
  return { allowed, ...(reason && { reason }) };
}
