import { expect, it } from 'vitest';
import { pods } from '../test-api-server.fixture.js';
import { claims, csiNodes, nodeCluster, nodes, signing, slices } from './node-cluster.fixture.js';

const nonsense: unknown[] = ['x', 5, null, [], {}, { a: 1 }, [1], [null], true];
const merge = { 'content-type': 'application/merge-patch+json' };
const token = '/api/v1/namespaces/default/serviceaccounts/default/token';

/** Places in the objects that the rules of nodes read, by the request that writes them. */
const places: readonly (readonly [method: string, url: string, path: string])[] = [
  ...['volumes', 'containers', 'imagePullSecrets', 'resourceClaims', 'nodeName', 'serviceAccountName'].map(
    (field) => ['POST', pods, `spec.${field}`] as const,
  ),
  ...['labels', 'ownerReferences', 'annotations'].map((field) => ['POST', pods, `metadata.${field}`] as const),
  ...['metadata', 'spec'].map((path) => ['POST', pods, path] as const),
  ...['spec', 'spec.taints', 'spec.configSource', 'metadata.labels', 'metadata.ownerReferences'].map(
    (path) => ['PATCH', `${nodes}/n1`, path] as const,
  ),
  ...['status', 'status.resourceClaimStatuses', 'metadata.labels'].map((path) => ['PATCH', `${pods}/mine/status`, path] as const),
  ...['status', 'metadata', 'status.capacity'].map((path) => ['PATCH', `${claims}/data/status`, path] as const),
  ...['spec', 'spec.audiences', 'spec.boundObjectRef'].map((path) => ['POST', token, path] as const),
  ...['spec', 'spec.nodeName'].map((path) => ['POST', slices, path] as const),
  ...['spec', 'spec.request', 'spec.signerName'].map((path) => ['POST', signing, path] as const),
  ['POST', csiNodes, 'spec'],
];

it.each(places)('a node gets no 500 for nonsense: %s %s %s', async (method, url, path) => {
  const { server, mirror } = nodeCluster();
  const statuses = await Promise.all(
    nonsense.map(async (value) => {
      const uid = server.objects.get('pods', 'mine')?.metadata?.uid;
      const spec = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid }, signerName: 'kubernetes.io/kubelet-serving' };
      const base = method === 'PATCH' ? {} : url === pods ? mirror() : { metadata: { name: 'n1' }, spec };
      const body = withValue(structuredClone(base), path.split('.'), value);
      const headers = { authorization: 'Bearer secret', ...(method === 'PATCH' && merge) };
      return (await server.handle({ method, url, body, headers })).status;
    }),
  );
  expect(Math.max(...statuses)).toBeLessThan(500);
});

/** Sets a field, also one of an object that is absent. */
function withValue(object: Record<string, unknown>, [field = '', ...rest]: string[], value: unknown): object {
  object[field] = rest.length === 0 ? value : withValue((object[field] ?? {}) as Record<string, unknown>, rest, value);
  return object;
}
