import type { KindFieldProblem } from '../kinds/kind-rules.js';
import type { ApiObject } from '../objects.js';
import { badRequest, invalid } from '../status.js';
import type { Authorizer } from './authorizer.js';
import type { PolicyRule } from './rbac.js';
import type { RequestUser } from './user.js';

/** Ports of reviews. */
export interface ReviewPorts {
  authorize: Authorizer;
  /** The user of a bearer token. */
  authenticate(token: string, audiences?: readonly string[]): RequestUser | undefined;
  /** The rules of a user in a namespace. Absent: they are not known. */
  rules?(user: RequestUser, namespace: string): PolicyRule[];
}

interface ReviewSpec {
  namespace?: string;
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
      if (!spec.namespace) throw badRequest('no namespace on request');
      return answer(rulesOf(caller, spec.namespace, ports));
    default: {
      const self = kind === 'SelfSubjectAccessReview';
      const { user = '', uid, groups, extra } = spec;
      const subject = self ? caller : { username: user, ...(uid && { uid }), ...(groups && { groups }), ...(extra && { extra }) };
      const problems = [...attributeProblems(spec), ...(self ? [] : subjectProblems(spec))];
      if (problems.length > 0) throw invalid({ group: 'authorization.k8s.io', kind, name: '' }, problems);
      return answer(decide(spec, subject, ports.authorize));
    }
  }
}

function attributeProblems({ resourceAttributes, nonResourceAttributes }: ReviewSpec): KindFieldProblem[] {
  if (resourceAttributes && nonResourceAttributes) {
    const value = JSON.stringify(nonResourceAttributes);
    const rule = 'cannot be specified in combination with resourceAttributes';
    return [{ field: 'spec.nonResourceAttributes', problem: `Invalid value: ${value}: ${rule}` }];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const rule = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [{ field: 'spec.resourceAttributes', problem: `Invalid value: null: ${rule}` }];
}

function subjectProblems({ user, groups }: ReviewSpec): KindFieldProblem[] {
  if (user || groups?.length) return [];
  return [{ field: 'spec.user', problem: 'Invalid value: "": at least one of user or group must be specified' }];
}

/** The rules of a user. Without roles only those of users who may do everything are known. */
function rulesOf(user: RequestUser, namespace: string, { authorize, rules }: ReviewPorts): unknown {
  const known = rules?.(user, namespace) ?? (mayDoAll(user, authorize) ? allRules : undefined);
  return {
    resourceRules: (known ?? []).filter((rule) => !rule.nonResourceURLs?.length).map(({ nonResourceURLs: _paths, ...rule }) => rule),
    nonResourceRules: (known ?? []).flatMap(({ verbs, nonResourceURLs }) => (nonResourceURLs?.length ? [{ verbs, nonResourceURLs }] : [])),
    incomplete: known === undefined,
  };
}

const any = ['*'];
const allRules: PolicyRule[] = [
  { verbs: any, apiGroups: any, resources: any },
  { verbs: any, nonResourceURLs: any },
];

function mayDoAll(user: RequestUser, authorize: Authorizer): boolean {
  const all = { user, verb: '*' };
  const onResources = authorize({ ...all, isResource: true, group: '*', resource: '*' });
  return onResources.allowed && authorize({ ...all, isResource: false, path: '*' }).allowed;
}

function decide({ resourceAttributes, nonResourceAttributes }: ReviewSpec, user: RequestUser, authorize: Authorizer): unknown {
  const { allowed, reason } = authorize(
    resourceAttributes
      ? { ...resourceAttributes, user, isResource: true, verb: resourceAttributes.verb ?? '' }
      : { user, isResource: false, verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' },
  );
  return { allowed, ...(reason && { reason }) };
}
