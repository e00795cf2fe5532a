import { describe, expect, it } from 'vitest';
import { pod, pods } from '../test-api-server.fixture.js';
import {
  certificateRequest,
  claims,
  clientSigner,
  csiNodes,
  leases,
  nodeCluster,
  nodes,
  servingSigner,
  signing,
  slice,
  slices,
} from './node-cluster.fixture.js';

type Cluster = ReturnType<typeof nodeCluster>;
type Attack = readonly [what: string, attack: (cluster: Cluster) => Promise<unknown>, refusal: string];

const container = (fields: object) => ({ containers: [{ name: 'main', image: 'nginx', ...fields }] });
const volume = (source: object) => ({ volumes: [{ name: 'v', ...source }] });
const references = (to: string) => `pods "static" is forbidden: node "n1" can not create pods that reference ${to}`;
const ofNode = (why: string) => `nodes "n1" is forbidden: ${why}`;
const ofToken = (why: string) => `serviceaccounts "default" is forbidden: ${why}`;

const foreignOwner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true };
const missingOwner = { apiVersion: 'v1', kind: 'Namespace', name: 'missing', uid: 'u' };

/** What a node of Kubernetes 1.36 must not do, and the answer. */
const attacks: readonly Attack[] = [
  // The Node of the node.
  [
    'another Node',
    ({ ask }) => ask('PATCH', `${nodes}/n2`, { metadata: { labels: { a: 'b' } } }),
    'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
  ],
  [
    'an owner of its Node, by which the garbage collector deletes it (CVE-2025-5187)',
    ({ ask }) => ask('PATCH', `${nodes}/n1`, { metadata: { ownerReferences: [missingOwner] } }),
    ofNode('node "n1" is not allowed to modify ownerReferences'),
  ],
  [
    'an owner of its Node by nodes/status',
    ({ ask }) => ask('PATCH', `${nodes}/n1/status`, { metadata: { ownerReferences: [missingOwner] } }),
    ofNode('node "n1" is not allowed to modify ownerReferences'),
  ],
  ['the deletion of its Node', ({ ask }) => ask('DELETE', `${nodes}/n1`), ofNode(cannot('delete', 'nodes', ''))],
  ['its taints', ({ ask }) => ask('PATCH', `${nodes}/n1`, { spec: { taints: null } }), ofNode('node "n1" is not allowed to modify taints')],
  [
    'a label that isolates workloads',
    ({ ask }) => ask('PATCH', `${nodes}/n1`, { metadata: { labels: { 'team.node-restriction.kubernetes.io/x': 'y' } } }),
    ofNode('is not allowed to modify labels: team.node-restriction.kubernetes.io/x'),
  ],
  [
    'labels of Kubernetes by nodes/status',
    ({ ask }) =>
      ask('PATCH', `${nodes}/n1/status`, { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '', 'x.k8s.io/y': 'z' } } }),
    ofNode('is not allowed to modify labels: node-role.kubernetes.io/control-plane, x.k8s.io/y'),
  ],
  [
    'a registration with labels of Kubernetes',
    async ({ server, ask }) => {
      server.objects.delete('nodes', 'n1');
      return ask('POST', nodes, {
        metadata: { name: 'n1', labels: { 'node-role.kubernetes.io/worker': '', 'node-restriction.kubernetes.io/x': '' } },
      });
    },
    ofNode('node "n1" is not allowed to set the following labels: node-restriction.kubernetes.io/x, node-role.kubernetes.io/worker'),
  ],
  [
    'the source of its configuration',
    ({ ask }) =>
      ask('PATCH', `${nodes}/n1`, { spec: { configSource: { configMap: { name: 'x', namespace: 'y', kubeletConfigKey: 'z' } } } }),
    ofNode('node "n1" is not allowed to update configSource to a new non-nil configSource'),
  ],
  // Mirror pods.
  [
    'a pod that is no mirror pod',
    ({ ask }) => ask('POST', pods, pod('plain', { nodeName: 'n1' })),
    'node "n1" can only create mirror pods',
  ],
  [
    'a mirror pod of another node',
    ({ ask, mirror }) => ask('POST', pods, mirror({ nodeName: 'n2' })),
    'node "n1" can only create pods with spec.nodeName set to itself',
  ],
  [
    'a mirror pod with claims of devices (CVE-2025-4563)',
    ({ ask, mirror }) => ask('POST', pods, mirror({ resourceClaims: [{ name: 'gpu', resourceClaimName: 'theirs' }] })),
    references('resourceclaims'),
  ],
  [
    'a mirror pod with a secret',
    ({ ask, mirror }) =>
      ask('POST', pods, mirror(container({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }))),
    references('secrets'),
  ],
  [
    'a mirror pod with secrets for its images',
    ({ ask, mirror }) => ask('POST', pods, mirror({ imagePullSecrets: [{ name: 's' }] })),
    references('secrets'),
  ],
  [
    'a mirror pod with a ConfigMap',
    ({ ask, mirror }) => ask('POST', pods, mirror(volume({ configMap: { name: 'c' } }))),
    references('configmaps'),
  ],
  [
    'a mirror pod with a PersistentVolumeClaim',
    ({ ask, mirror }) => ask('POST', pods, mirror(volume({ persistentVolumeClaim: { claimName: 'data' } }))),
    references('persistentvolumeclaims'),
  ],
  [
    'a mirror pod with a service account',
    ({ ask, mirror }) => ask('POST', pods, mirror({ serviceAccountName: 'default' })),
    references('serviceaccounts'),
  ],
  [
    'a mirror pod with a service account in the deprecated field',
    ({ ask, mirror }) => ask('POST', pods, mirror({ serviceAccount: 'default' })),
    references('serviceaccounts'),
  ],
  [
    'a mirror pod without an owner',
    ({ ask, mirror }) => ask('POST', pods, mirror({}, [])),
    'node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    'a mirror pod of a foreign owner',
    ({ ask, mirror }) => ask('POST', pods, mirror({}, [foreignOwner])),
    'node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    'a mirror pod with a second owner',
    ({ ask, mirror, owner }) => ask('POST', pods, mirror({}, [owner, foreignOwner])),
    'node "n1" can only create pods with a single owner reference set to itself',
  ],
  [
    'a mirror pod that its Node does not control',
    ({ ask, mirror, owner }) => ask('POST', pods, mirror({}, [{ ...owner, controller: false }])),
    'node "n1" can only create pods with a controller owner reference set to itself',
  ],
  [
    'a mirror pod that blocks the deletion of its Node',
    ({ ask, mirror, owner }) => ask('POST', pods, mirror({}, [{ ...owner, blockOwnerDeletion: true }])),
    'node "n1" must not set blockOwnerDeletion on an owner reference',
  ],
  [
    'a mirror pod of an earlier Node',
    ({ ask, mirror, owner }) => ask('POST', pods, mirror({}, [{ ...owner, uid: 'earlier' }])),
    'node n1 UID mismatch: expected earlier got ',
  ],
  // Pods.
  [
    'another spec of its pod',
    ({ ask }) => ask('PATCH', `${pods}/mine`, { metadata: { labels: { a: 'b' } } }),
    'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
  ],
  [
    'labels of its pod by pods/status',
    ({ ask }) => ask('PATCH', `${pods}/mine/status`, { metadata: { labels: { app: 'db' } } }),
    'node "n1" cannot update labels through pod status',
  ],
  [
    'claims of its pod by pods/status (CVE-2025-4563)',
    ({ ask }) => ask('PATCH', `${pods}/mine/status`, { status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'theirs' }] } }),
    'node "n1" cannot update resource claim statues',
  ],
  [
    'claims of extended resources by pods/status',
    ({ ask }) =>
      ask('PATCH', `${pods}/mine/status`, {
        status: { extendedResourceClaimStatus: { resourceClaimName: 'theirs', requestMappings: [] } },
      }),
    'node "n1" cannot update extended resource claim status',
  ],
  [
    'the status of a pod of another node',
    ({ ask }) => ask('PATCH', `${pods}/other/status`, { status: { phase: 'Failed' } }),
    'node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ],
  [
    'the deletion of a pod of another node',
    ({ ask }) => ask('DELETE', `${pods}/other`, { gracePeriodSeconds: 0 }),
    'node "n1" can only delete pods with spec.nodeName set to itself',
  ],
  ['the deletion of all pods', ({ ask }) => ask('DELETE', `${pods}?fieldSelector=spec.nodeName%3Dn2`), 'node "n1" can only delete pods'],
  [
    'the eviction of a pod of another node',
    ({ ask }) => ask('POST', `${pods}/other/eviction`, {}),
    'node n1 can only evict pods with spec.nodeName set to itself',
  ],
  [
    'a pod for itself, by a binding',
    async ({ server, ask }) => {
      server.objects.create(pod('pending'));
      return ask('POST', `${pods}/pending/binding`, { target: { kind: 'Node', name: 'n1' } });
    },
    `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
  ],
  [
    'other resources for its pod',
    ({ ask }) => ask('PATCH', `${pods}/mine/resize`, { spec: {} }),
    `unexpected pod subresource "resize", only 'status' and 'eviction' are allowed`,
  ],
  // Tokens.
  ['a token that is bound to no pod', ({ token }) => token([], { kind: 'Secret' }), ofToken('node requested token not bound to a pod')],
  [
    'a token for a pod without its UID',
    ({ token }) => token([], { uid: undefined }),
    ofToken('node requested token with a pod binding without a uid'),
  ],
  [
    'a token for an earlier pod',
    ({ token }) => token([], { uid: 'earlier' }),
    ofToken('the UID in the bound object reference (earlier) does not match the UID in record.'),
  ],
  [
    'a token for a pod of another node',
    ({ token, otherUid }) => token([], { name: 'other', uid: otherUid }),
    ofToken('node requested token bound to a pod scheduled on a different node'),
  ],
  ['a token for a missing pod', ({ token }) => token([], { name: 'missing' }), 'pod "missing" not found'],
  [
    'a token for an audience that its pod does not request',
    ({ token }) => token(['bank']),
    ofToken('audience "bank" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience'),
  ],
  [
    'a token for an audience that cannot be known because the CSI driver is missing, granted or not',
    ({ server, token }) => {
      server.objects.delete('csidrivers', 'inline.example.com');
      return token(['bank']);
    },
    ofToken('error validating audience "bank": csidriver.storage.k8s.io "inline.example.com" not found'),
  ],
  ['a token for two audiences', ({ token }) => token(['vault', 'inline']), ofToken('node may only request 0 or 1 audiences')],
  [
    'a token of a service account that its pod does not run as',
    async ({ server, ask, token }) => {
      server.objects.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'admin', namespace: 'default' } });
      expect(await token([])).toBe(201);
      const { uid } = server.objects.get('pods', 'mine')?.metadata ?? {};
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid };
      return ask('POST', '/api/v1/namespaces/default/serviceaccounts/admin/token', { spec: { audiences: [], boundObjectRef } });
    },
    'cannot bind token for serviceaccount "admin" to pod running with different serviceaccount name.',
  ],
  // Claims.
  [
    'the metadata of a claim',
    ({ ask }) => ask('PATCH', `${claims}/data/status`, { metadata: { finalizers: ['example.com/hold'] } }),
    'node "n1" is not allowed to update fields other than status.quantity and status.conditions',
  ],
  [
    'the phase of a claim',
    ({ ask }) => ask('PATCH', `${claims}/data/status`, { status: { phase: 'Lost' } }),
    'node "n1" is not allowed to update fields other than status.quantity and status.conditions',
  ],
  ['the deletion of a claim', ({ ask }) => ask('DELETE', `${claims}/data`), 'may only update PVC status'],
  // Objects of other nodes.
  [
    'a ResourceSlice of another node',
    ({ ask }) => ask('POST', slices, slice('foreign', 'n2')),
    'can only create ResourceSlice with the same NodeName as the requesting node',
  ],
  [
    'another content of a foreign ResourceSlice',
    ({ ask }) => ask('PATCH', `${slices}/n2`, { spec: { devices: [] } }),
    `${cannot('update', 'resourceslices', 'resource.k8s.io')}: no relationship found between node 'n1' and this object`,
  ],
  [
    'the deletion of a foreign ResourceSlice',
    ({ ask }) => ask('DELETE', `${slices}/n2`),
    'can only delete ResourceSlice with the same NodeName as the requesting node',
  ],
  [
    'the deletion of all ResourceSlices',
    ({ ask }) => ask('DELETE', slices),
    'can only delete ResourceSlice with the same NodeName as the requesting node',
  ],
  [
    'a lease of another node',
    ({ ask }) => ask('POST', leases('kube-node-lease'), { metadata: { name: 'n2' } }),
    'can only access node lease with the same name as the requesting node',
  ],
  [
    'a lease in another namespace',
    ({ ask }) => ask('POST', leases('kube-system'), { metadata: { name: 'n1' } }),
    'can only access leases in the "kube-node-lease" system namespace',
  ],
  [
    'a CSINode of another node',
    ({ ask }) => ask('POST', csiNodes, { metadata: { name: 'n2' }, spec: { drivers: [] } }),
    'can only access CSINode with the same name as the requesting node',
  ],
  // Certificates.
  [
    'a client certificate of another node',
    ({ ask }) => ask('POST', signing, certificateRequest('system:node:n2', clientSigner)),
    'can only create a node CSR with CN=system:node:n1',
  ],
  [
    'a serving certificate of another node',
    ({ ask }) => ask('POST', signing, certificateRequest('system:node:n2', servingSigner)),
    'can only create a node CSR with CN=system:node:n1',
  ],
  [
    'a request for a certificate that is none',
    ({ ask }) => ask('POST', signing, { metadata: { name: 'x' }, spec: { request: 'x', signerName: servingSigner, usages: [] } }),
    'unable to parse csr: ',
  ],
  [
    'the approval of its certificate',
    async ({ server, ask }) => {
      expect(await ask('POST', signing, certificateRequest('system:node:n1', servingSigner))).toBe(201);
      const [{ metadata }] = server.objects.list('certificatesigningrequests') as [{ metadata: { name: string } }];
      return ask('PATCH', `${signing}/${metadata.name}/approval`, { status: { conditions: [{ type: 'Approved', status: 'True' }] } });
    },
    cannot('update', 'certificatesigningrequests/approval', 'certificates.k8s.io'),
  ],
];

function cannot(verb: string, resource: string, group: string): string {
  return `User "system:node:n1" cannot ${verb} resource "${resource}" in API group "${group}" at the cluster scope`;
}

describe('a node must not request', () => {
  it.each(attacks)('%s', async (_what, attack, refusal) => {
    expect(await attack(nodeCluster())).toContain(refusal);
  });

  it('a write without a node name', async () => {
    const { ask } = nodeCluster({ tokens: { secret: { username: 'system:node:', groups: ['system:nodes'] } } });
    expect(await ask('DELETE', `${nodes}/n1`)).toContain('could not determine node from user "system:node:"');
  });
});
