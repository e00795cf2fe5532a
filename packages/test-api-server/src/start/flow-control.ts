/** Priority levels and flow schemas of a new cluster: Kubernetes documentation, "API Priority and Fairness: Default configuration". */

type Named = readonly [name: string, spec: Record<string, unknown>];

const queue = (shares: number, lendablePercent: number, queues: number, handSize = 6) => ({
  type: 'Limited',
  limited: {
    nominalConcurrencyShares: shares,
    limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
    lendablePercent,
  },
});

export const priorityLevels: readonly Named[] = [
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  ['catch-all', { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 } }],
  ['system', queue(30, 33, 64)],
  ['node-high', queue(40, 25, 64)],
  ['leader-election', queue(10, 0, 16, 4)],
  ['workload-high', queue(40, 50, 128)],
  ['workload-low', queue(100, 90, 128)],
  ['global-default', queue(20, 50, 128)],
];

const user = (name: string) => ({ kind: 'User', user: { name } });
const group = (name: string) => ({ kind: 'Group', group: { name } });
const account = (name: string, namespace = 'kube-system') => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name } });
const everyone = [group('system:authenticated'), group('system:unauthenticated')];
const leaseVerbs = ['get', 'create', 'update'];

const resources = (verbs: string[], apiGroups: string[], names: string[], namespaces = ['*'], clusterScope = false) => ({
  verbs,
  apiGroups,
  resources: names,
  ...(clusterScope && { clusterScope }),
  namespaces,
});
const anyResource = resources(['*'], ['*'], ['*'], ['*'], true);
const anyPath = { verbs: ['*'], nonResourceURLs: ['*'] };

interface Rule {
  subjects: unknown[];
  resourceRules?: unknown[];
  nonResourceRules?: unknown[];
}
const everything = (...subjects: unknown[]): Rule => ({ subjects, resourceRules: [anyResource], nonResourceRules: [anyPath] });

function schema(name: string, level: string, precedence: number, method: string | undefined, ...rules: Rule[]): Named {
  const distinguisher = method === undefined ? {} : { distinguisherMethod: { type: method } };
  return [name, { priorityLevelConfiguration: { name: level }, matchingPrecedence: precedence, ...distinguisher, rules }];
}

export const flowSchemas: readonly Named[] = [
  schema('exempt', 'exempt', 1, undefined, everything(group('system:masters'))),
  schema('probes', 'exempt', 2, undefined, {
    subjects: everyone,
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  schema('system-leader-election', 'leader-election', 100, 'ByUser', {
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), account('*')],
    resourceRules: [resources(leaseVerbs, ['coordination.k8s.io'], ['leases'])],
  }),
  schema('endpoint-controller', 'workload-high', 150, 'ByUser', {
    subjects: [user('system:kube-controller-manager'), account('endpoint-controller'), account('endpointslicemirroring-controller')],
    resourceRules: [resources(leaseVerbs, [''], ['endpoints'])],
  }),
  schema('workload-leader-election', 'leader-election', 200, 'ByUser', {
    subjects: [account('*')],
    resourceRules: [resources(leaseVerbs, ['coordination.k8s.io'], ['leases'])],
  }),
  schema('system-node-high', 'node-high', 400, 'ByUser', {
    subjects: [group('system:nodes')],
    resourceRules: [resources(['*'], [''], ['nodes', 'nodes/status'], ['*'], true), resources(['*'], ['coordination.k8s.io'], ['leases'])],
  }),
  schema('system-nodes', 'system', 500, 'ByUser', everything(group('system:nodes'))),
  schema('kube-controller-manager', 'workload-high', 800, 'ByNamespace', everything(user('system:kube-controller-manager'))),
  schema('kube-scheduler', 'workload-high', 800, 'ByNamespace', everything(user('system:kube-scheduler'))),
  schema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', everything(account('*'))),
  schema('service-accounts', 'workload-low', 9000, 'ByUser', everything(group('system:serviceaccounts'))),
  schema('global-default', 'global-default', 9900, 'ByUser', everything(...everyone)),
  schema('catch-all', 'catch-all', 10_000, 'ByUser', everything(...everyone)),
];
