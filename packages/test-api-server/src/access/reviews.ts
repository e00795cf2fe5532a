import type { KindFieldProblem } from '../kinds/kind-rules.js';
import type { ApiObject } from '../objects.js';
import { badRequest, invalid } from '../status.js';
import type { Authorizer } from './authorizer.js';
import { everything, type SubjectRules } from './rbac.js';
import type { TokenAnswer } from './tokens.js';
import type { RequestUser } from './user.js';

/** Ports of reviews. */
export interface ReviewPorts {
  authorize: Authorizer;
  /** The user of a bearer token for an audience, by default this server. */
  authenticate(token: string, audiences?: readonly string[]): TokenAnswer;
  /** The rules of a user in a namespace. Absent: the authorizer cannot list them. */
  rulesOf?: ((user: RequestUser, namespace: string) => SubjectRules) | undefined;
}

interface ReviewSpec {
  token?: string;
  audiences?: string[];
  namespace?: string;
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

/**
 * Fills in a review, an object that is created but not stored: Kubernetes API reference, "TokenReview" and others. `namespace`: that of the
 * path. Throws 400 and 422 for an incomplete one.
 */
export function review(body: ApiObject, kind: string, caller: RequestUser, ports: ReviewPorts, namespace?: string): ApiObject {
  const spec = (body.spec ?? {}) as ReviewSpec;
  const metadata = namespace === undefined ? (body.metadata ?? {}) : { ...body.metadata, namespace: localNamespace(body, namespace) };
  const answer = (status: unknown): ApiObject => ({ ...body, kind, metadata, status });
  switch (kind) {
    case 'TokenReview':
      return answer(tokenStatus(spec, ports));
    case 'SelfSubjectReview':
      return answer({ userInfo: caller });
    case 'SelfSubjectRulesReview':
      if (!spec.namespace) throw badRequest('no namespace on request');
      return answer(ports.rulesOf?.(caller, spec.namespace) ?? guessedRules(caller, ports.authorize));
    default: {
      const self = kind === 'SelfSubjectAccessReview';
      const { user = '', uid, groups, extra } = spec;
      const subject = self ? caller : { username: user, ...(uid && { uid }), ...(groups && { groups }), ...(extra && { extra }) };
      const problems = [...attributeProblems(spec), ...(self ? [] : subjectProblems(spec)), ...metadataProblems(metadata, spec, namespace)];
      if (problems.length > 0) throw invalid({ group: 'authorization.k8s.io', kind, name: '' }, problems);
      return answer(decide(spec, subject, ports.authorize));
    }
  }
}

function localNamespace({ metadata }: ApiObject, namespace: string): string {
  if (!metadata?.namespace || metadata.namespace === namespace) return namespace;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function tokenStatus({ token, audiences }: ReviewSpec, ports: ReviewPorts): unknown {
  if (!token) throw badRequest('token is required for TokenReview in authentication');
  const found = ports.authenticate(token, audiences?.length ? audiences : undefined);
  return 'user' in found ? { authenticated: true, ...found } : { user: {}, error: found.error };
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

/** Access reviews have no metadata; local ones are about their namespace. */
function metadataProblems(metadata: ApiObject['metadata'], spec: ReviewSpec, namespace: string | undefined): KindFieldProblem[] {
  const { managedFields: _managed, namespace: _namespace, ...rest } = metadata;
  const problems: KindFieldProblem[] = [];
  if (Object.keys(rest).length > 0) {
    const rule = namespace === undefined ? 'must be empty' : 'must be empty except for namespace';
    problems.push({ field: 'metadata', problem: `Invalid value: ${JSON.stringify(metadata)}: ${rule}` });
  }
  if (namespace === undefined) return problems;
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes && (resourceAttributes.namespace ?? '') !== namespace) {
    const value = JSON.stringify(resourceAttributes.namespace ?? '');
    problems.push({ field: 'spec.resourceAttributes.namespace', problem: `Invalid value: ${value}: must match metadata.namespace` });
  }
  if (nonResourceAttributes) {
    const value = JSON.stringify(nonResourceAttributes);
    problems.push({ field: 'spec.nonResourceAttributes', problem: `Invalid value: ${value}: disallowed on this kind of request` });
  }
  return problems;
}

/** What an authorizer that is only a function grants: all to those who may do everything; the rules of others are not known. */
function guessedRules(user: RequestUser, authorize: Authorizer): SubjectRules {
  const all = { user, verb: '*' };
  const isAdmin =
    authorize({ ...all, isResource: true, group: '*', resource: '*' }).allowed &&
    authorize({ ...all, isResource: false, path: '*' }).allowed;
  if (isAdmin) return everything;
  const evaluationError = 'webhook authorizer does not support user rule resolution';
  return { resourceRules: [], nonResourceRules: [], incomplete: true, evaluationError };
}

function decide({ resourceAttributes, nonResourceAttributes }: ReviewSpec, user: RequestUser, authorize: Authorizer): unknown {
  const { allowed, reason } = authorize(
    resourceAttributes
      ? { ...resourceAttributes, user, isResource: true, verb: resourceAttributes.verb ?? '' }
      : { user, isResource: false, verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' },
  );
  return { allowed, ...(reason && { reason }) };
}
