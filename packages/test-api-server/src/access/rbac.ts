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

interface Binding {
  metadata: ApiObject['metadata'];
  subjects?: readonly { kind: string; name: string; namespace?: string }[];
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

function isBound({ subjects = [], metadata }: Binding, { username, groups = [] }: RequestUser): boolean {
  return subjects.some(({ kind, name, namespace = metadata.namespace ?? '' }) => {
    if (kind === 'User') return name === username;
    if (kind === 'Group') return groups.includes(name);
    return kind === 'ServiceAccount' && username === `system:serviceaccount:${namespace}:${name}`;
  });
}

const group = 'rbac.authorization.k8s.io';

/** The rules that apply to a user: those of all namespaces, and with a namespace those of its bindings as well. */
export function rulesOfUser(store: ObjectStore, user: RequestUser, namespace: string | undefined): PolicyRule[] {
  const bindings = [
    ...store.list(`${group}/clusterrolebindings`),
    ...(namespace ? store.list(`${group}/rolebindings`, namespace) : []),
  ] as unknown as Binding[];
  return bindings.filter((binding) => isBound(binding, user)).flatMap((binding) => boundRules(store, binding));
}

function boundRules(store: ObjectStore, { roleRef, metadata }: Binding): readonly PolicyRule[] {
  const role =
    roleRef.kind === 'Role'
      ? store.get(`${group}/roles`, metadata.namespace, roleRef.name)
      : store.get(`${group}/clusterroles`, undefined, roleRef.name);
  return (role?.rules as readonly PolicyRule[] | undefined) ?? [];
}

/**
 * Allows what the stored roles and bindings allow, and everything to `system:masters`. The roles of the control plane's own components, such
 * as `system:node`, do not exist unless they are created.
 */
export function rbacAuthorizer(store: ObjectStore): Authorizer {
  return (request) => {
    const { user, namespace, isResource } = request;
    if (user.groups?.includes('system:masters')) return { allowed: true };
    return { allowed: rulesOfUser(store, user, isResource ? namespace : undefined).some((rule) => ruleAllows(rule, request)) };
  };
}
