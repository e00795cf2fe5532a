import type { KubeObject } from '@nodeagent/api';

const rbac = 'rbac.authorization.k8s.io/v1';
const metadata = { name: 'system:node' };

const permissions: readonly object[] = [
  { apiVersion: rbac, kind: 'ClusterRole', metadata, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] },
  {
    apiVersion: rbac,
    kind: 'ClusterRoleBinding',
    metadata,
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node' },
  },
];

/** What nodes may do in a server with the authorizer `rbac`, where a cluster has its node authorizer. */
export const nodePermissions = permissions as readonly KubeObject[];
