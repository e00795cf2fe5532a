import type { PolicyRule } from '../access/rbac.js';
import type { ApiContext } from '../context.js';
import { startObject } from './start-object.js';

const group = 'rbac.authorization.k8s.io';
const read = ['get', 'list', 'watch'];
const write = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const health = ['/healthz', '/livez', '/readyz'];

/** A rule about resources, which are separated by spaces. */
const on = (apiGroups: string[], verbs: string[], resources: string): PolicyRule => ({ apiGroups, resources: resources.split(' '), verbs });
const paths = (...nonResourceURLs: string[]): PolicyRule => ({ nonResourceURLs, verbs: ['get'] });

const viewRules: PolicyRule[] = [
  on(
    [''],
    read,
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale ' +
      'serviceaccounts services services/status',
  ),
  on(
    [''],
    read,
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
  ),
  on([''], read, 'namespaces'),
  on(['', 'events.k8s.io'], read, 'events'),
  on(['discovery.k8s.io'], read, 'endpointslices'),
  on(
    ['apps'],
    read,
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale ' +
      'replicasets/status statefulsets statefulsets/scale statefulsets/status',
  ),
  on(['autoscaling'], read, 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  on(['batch'], read, 'cronjobs cronjobs/status jobs jobs/status'),
  on(
    ['extensions'],
    read,
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets ' +
      'replicasets/scale replicasets/status replicationcontrollers/scale',
  ),
  on(['policy'], read, 'poddisruptionbudgets poddisruptionbudgets/status'),
  on(['networking.k8s.io'], read, 'ingresses ingresses/status networkpolicies'),
  on(['resource.k8s.io'], read, 'resourceclaims resourceclaims/status resourceclaimtemplates'),
];

const editRules: PolicyRule[] = [
  on([''], read, 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
  on([''], ['impersonate'], 'serviceaccounts'),
  on([''], write, 'pods pods/attach pods/exec pods/portforward pods/proxy'),
  on([''], ['create'], 'pods/eviction'),
  on(
    [''],
    write,
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
  ),
  on([''], ['create'], 'serviceaccounts/token'),
  on(['', 'events.k8s.io'], write, 'events'),
  on(
    ['apps'],
    write,
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
  ),
  on(['autoscaling'], write, 'horizontalpodautoscalers'),
  on(['batch'], write, 'cronjobs jobs'),
  on(
    ['extensions'],
    write,
    'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale ' +
      'replicationcontrollers/scale',
  ),
  on(['policy'], write, 'poddisruptionbudgets'),
  on(['networking.k8s.io'], write, 'ingresses networkpolicies'),
  on(['coordination.k8s.io'], [...write, ...read], 'leases'),
  on(['resource.k8s.io'], write, 'resourceclaims resourceclaimtemplates'),
];

interface DefaultRole {
  rules?: PolicyRule[];
  /** The role whose rules get those of this one, by its label. */
  aggregateTo?: string;
  /** Whether the rules are those of the roles with its label. */
  aggregates?: true;
  /** The groups to which the role is bound everywhere. */
  boundTo?: string[];
}

const authenticated = 'system:authenticated';

/** The roles for users of a new cluster: Kubernetes documentation, "Using RBAC Authorization: Default roles and role bindings". */
const defaultRoles: Readonly<Record<string, DefaultRole>> = {
  'cluster-admin': {
    rules: [on(['*'], ['*'], '*'), { nonResourceURLs: ['*'], verbs: ['*'] }],
    boundTo: ['system:masters'],
  },
  admin: { aggregates: true },
  edit: { aggregates: true, aggregateTo: 'admin' },
  view: { aggregates: true, aggregateTo: 'edit' },
  'system:aggregate-to-admin': {
    aggregateTo: 'admin',
    rules: [on(['authorization.k8s.io'], ['create'], 'localsubjectaccessreviews'), on([group], [...write, ...read], 'rolebindings roles')],
  },
  'system:aggregate-to-edit': { aggregateTo: 'edit', rules: editRules },
  'system:aggregate-to-view': { aggregateTo: 'view', rules: viewRules },
  'system:auth-delegator': {
    rules: [on(['authentication.k8s.io'], ['create'], 'tokenreviews'), on(['authorization.k8s.io'], ['create'], 'subjectaccessreviews')],
  },
  'system:basic-user': {
    rules: [
      on(['authorization.k8s.io'], ['create'], 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      on(['authentication.k8s.io'], ['create'], 'selfsubjectreviews'),
    ],
    boundTo: [authenticated],
  },
  'system:discovery': {
    rules: [paths('/api', '/api/*', '/apis', '/apis/*', ...health, '/openapi', '/openapi/*', '/version', '/version/')],
    boundTo: [authenticated],
  },
  'system:monitoring': {
    rules: [paths(...health.flatMap((path) => [path, `${path}/*`]), '/metrics', '/metrics/slis'), on([''], ['get'], 'nodes/metrics')],
    boundTo: ['system:monitoring'],
  },
  'system:public-info-viewer': {
    rules: [paths(...health, '/version', '/version/')],
    boundTo: [authenticated, 'system:unauthenticated'],
  },
  'system:service-account-issuer-discovery': {
    rules: [paths('/.well-known/openid-configuration', '/.well-known/openid-configuration/', '/openid/v1/jwks', '/openid/v1/jwks/')],
    boundTo: ['system:serviceaccounts'],
  },
};

/** Creates the default roles for users, and their bindings. The roles of the control plane's own components are not among them. */
export function createDefaultRoles(context: ApiContext): void {
  const apiVersion = `${group}/v1`;
  const annotations = { [`${group}/autoupdate`]: 'true' };
  for (const [name, { rules, aggregates, aggregateTo, boundTo }] of Object.entries(defaultRoles)) {
    const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
    startObject(context, `${group}/clusterroles`, {
      apiVersion,
      kind: 'ClusterRole',
      metadata: { name, annotations, labels: { ...labels, ...(aggregateTo && { [`${group}/aggregate-to-${aggregateTo}`]: 'true' }) } },
      ...(aggregates && { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${group}/aggregate-to-${name}`]: 'true' } }] } }),
      ...(rules && { rules }),
    });
    if (boundTo === undefined) continue;
    startObject(context, `${group}/clusterrolebindings`, {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name, annotations, labels },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name },
      subjects: boundTo.map((each) => ({ apiGroup: group, kind: 'Group', name: each })),
    });
  }
}
