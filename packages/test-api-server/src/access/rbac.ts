import type { ApiObject } from '../objects.js';
import type { ObjectStore } from '../store/object-store.js';
import type { AccessAttributes, Authorizer } from './authorizer.js';
import type { RequestUser } from './user.js';

/** A rule of a role: Kubernetes API reference, "PolicyRule". */
export interface PolicyRule {
  verbs?: readonly string[];
  apiGroups?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  nonResourceURLs?: readonly string[];
}

type Subject = Readonly<{ kind: string; name: string; namespace?: string }>;

/** Kubernetes API reference, "SubjectRulesReviewStatus". */
export interface SubjectRules {
  resourceRules: readonly PolicyRule[];
  nonResourceRules: readonly PolicyRule[];
  incomplete: boolean;
  evaluationError?: string;
}

interface Binding {
  metadata: ApiObject['metadata'];
  subjects?: readonly Subject[];
  roleRef: { kind: string; name: string };
}

const has = (list: readonly string[] | undefined, value: string) => list?.includes('*') === true || list?.includes(value) === true;

/** Whether a rule allows a request: Kubernetes documentation, "Using RBAC Authorization". */
export function ruleAllows(rule: PolicyRule, request: AccessAttributes): boolean {
  if (!has(rule.verbs, request.verb)) return false;
  if (!request.isResource) {
    const path = request.path ?? '';
    return (rule.nonResourceURLs ?? []).some((each) => each === path || (each.endsWith('*') && path.startsWith(each.slice(0, -1))));
  }
  const { group = '', resource = '', subresource, name } = request;
  const full = subresource ? `${resource}/${subresource}` : resource;
  const covered = has(rule.resources, full) || (subresource !== undefined && rule.resources?.includes(`*/${subresource}`) === true);
  if (!has(rule.apiGroups, group) || !covered) return false;
  return !rule.resourceNames?.length || (name !== undefined && rule.resourceNames.includes(name));
}

function subjectFor({ subjects = [], metadata }: Binding, { username, groups = [] }: RequestUser): Subject | undefined {
  return subjects.find(({ kind, name, namespace = metadata.namespace ?? '' }) => {
    if (kind === 'User') return name === username;
    if (kind === 'Group') return groups.includes(name);
    return kind === 'ServiceAccount' && username === `system:serviceaccount:${namespace}:${name}`;
  });
}

/** How a binding allows something, in the words of an API server. */
function sourceOf({ metadata, roleRef }: Binding, { kind, name, namespace = metadata.namespace ?? '' }: Subject): string {
  const binding = metadata.namespace ? `RoleBinding "${metadata.name}/${metadata.namespace}"` : `ClusterRoleBinding "${metadata.name}"`;
  const subject = kind === 'ServiceAccount' ? `${name}/${namespace}` : name;
  return `${binding} of ${roleRef.kind} "${roleRef.name}" to ${kind} "${subject}"`;
}

const group = 'rbac.authorization.k8s.io';

/** A binding of a user, with the rules of its role; `missing`: why it has none. */
interface Grant {
  source: string;
  rules: readonly PolicyRule[];
  missing?: string;
}

/** The grants of a user in a namespace, those of the cluster first. */
function* grantsOf(store: ObjectStore, user: RequestUser, namespace: string | undefined): Generator<Grant> {
  const bindings = [
    ...store.list(`${group}/clusterrolebindings`),
    ...(namespace ? store.list(`${group}/rolebindings`, namespace) : []),
  ] as unknown as Binding[];
  for (const binding of bindings) {
    const subject = subjectFor(binding, user);
    if (subject === undefined) continue;
    const { roleRef, metadata } = binding;
    const isLocal = roleRef.kind === 'Role';
    const role = store.get(`${group}/${isLocal ? 'roles' : 'clusterroles'}`, isLocal ? metadata.namespace : undefined, roleRef.name);
    const rules = (role?.rules ?? []) as readonly PolicyRule[];
    const missing = role ? undefined : `${isLocal ? 'role' : 'clusterrole'}.${group} "${roleRef.name}" not found`;
    yield { source: sourceOf(binding, subject), rules, ...(missing && { missing }) };
  }
}

/** Several messages as one, in the form of an API server. */
const joined = (messages: readonly string[]) => (messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`);

/**
 * Allows what the stored roles and bindings allow, and everything to `system:masters`. The roles of the control plane's own components, such
 * as `system:node`, do not exist unless they are created.
 */
export function rbacAuthorizer(store: ObjectStore): Authorizer {
  return (request) => {
    const { user, namespace, isResource } = request;
    if (user.groups?.includes('system:masters')) return { allowed: true };
    const missing: string[] = [];
    for (const grant of grantsOf(store, user, isResource ? namespace : undefined)) {
      if (grant.rules.some((rule) => ruleAllows(rule, request))) return { allowed: true, reason: `RBAC: allowed by ${grant.source}` };
      if (grant.missing) missing.push(grant.missing);
    }
    return { allowed: false, ...(missing.length > 0 && { reason: `RBAC: ${joined(missing)}` }) };
  };
}

/** The rules of a user in a namespace, as a SelfSubjectRulesReview lists them. */
export function rbacRules(store: ObjectStore, user: RequestUser, namespace: string): SubjectRules {
  if (user.groups?.includes('system:masters')) return everything;
  const grants = [...grantsOf(store, user, namespace)];
  const rules = grants.flatMap((grant) => grant.rules);
  const missing = grants.flatMap((grant) => grant.missing ?? []);
  const resourceRules = rules.flatMap(({ verbs, apiGroups, resources, resourceNames }) =>
    resources?.length ? [{ verbs, ...(apiGroups && { apiGroups }), resources, ...(resourceNames?.length && { resourceNames }) }] : [],
  );
  const nonResourceRules = rules.flatMap(({ verbs, nonResourceURLs }) => (nonResourceURLs?.length ? [{ verbs, nonResourceURLs }] : []));
  return { resourceRules, nonResourceRules, incomplete: false, ...(missing.length > 0 && { evaluationError: joined(missing) }) };
}

const any = ['*'];

/** The rules of users who may do everything. */
export const everything: SubjectRules = {
  resourceRules: [{ verbs: any, apiGroups: any, resources: any }],
  nonResourceRules: [{ verbs: any, nonResourceURLs: any }],
  incomplete: false,
};
