import { describe, expect, it } from 'vitest';
import { pods } from '../test-api-server.fixture.js';
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

describe('a node may write', () => {
  it('its Node: a registration with taints and labels, later its labels and status', async () => {
    const { ask, server } = nodeCluster();
    server.objects.delete('nodes', 'n1');
    const labels = {
      ...Object.fromEntries(['hostname', 'os', 'arch'].map((key) => [`kubernetes.io/${key}`, 'x'])),
      ...{ 'topology.kubernetes.io/zone': 'a', 'node.kubernetes.io/instance-type': 'b', 'x.kubelet.kubernetes.io/y': 'z' },
      'example.com/any': 'c',
    };
    const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }];
    expect(await ask('POST', nodes, { metadata: { name: 'n1', labels }, spec: { taints } })).toBe(201);
    expect(
      await ask('PATCH', `${nodes}/n1`, { metadata: { labels: { 'topology.kubernetes.io/zone': 'd', 'example.com/any': null } } }),
    ).toBe(200);
    expect(await ask('PATCH', `${nodes}/n1/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } })).toBe(200);
    expect(await ask('PATCH', `${nodes}/n1`, { spec: { podCIDR: '10.0.0.0/24', taints } })).toBe(200);
  });

  it('mirror pods of static pods, with volumes of the node', async () => {
    const { ask, mirror } = nodeCluster();
    const spec = { hostNetwork: true, volumes: [{ name: 'v', hostPath: { path: '/etc' } }] };
    expect(await ask('POST', pods, mirror(spec))).toBe(201);
    expect(await ask('PATCH', `${pods}/static/status`, { status: { phase: 'Running' } })).toBe(200);
    expect(await ask('DELETE', `${pods}/static`, { gracePeriodSeconds: 0 })).toBe(200);
  });

  it('the status, eviction and deletion of its pods', async () => {
    const { ask } = nodeCluster();
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    expect(await ask('PATCH', `${pods}/mine/status`, { metadata: { labels: { app: 'web' } }, status })).toBe(200);
    expect(await ask('POST', `${pods}/mine/eviction`, {})).toBe(201);
    expect(await ask('DELETE', `${pods}/mine`, { gracePeriodSeconds: 0 })).toBe(200);
  });

  it.each([[], ['vault'], ['inline'], ['bound']])('tokens for the audience %s of its pod', async (...audiences) => {
    expect(await nodeCluster().token(audiences)).toBe(201);
  });

  it('tokens for the audiences that an administrator granted', async () => {
    const { token } = nodeCluster({
      authorizer: ({ verb, resource, name, namespace }) => ({
        allowed: verb !== 'request-serviceaccounts-token-audience' || [resource, name, namespace].join() === 'registry,default,default',
      }),
    });
    expect(await token(['registry'])).toBe(201);
    expect(await token(['bank'])).toContain('audience "bank" not found');
  });

  it('the expansion of a claim', async () => {
    const status = {
      capacity: { storage: '2Gi' },
      allocatedResources: { storage: '2Gi' },
      allocatedResourceStatuses: { storage: 'NodeResizeInProgress' },
      conditions: [{ type: 'FileSystemResizePending', status: 'True' }],
    };
    expect(await nodeCluster().ask('PATCH', `${claims}/data/status`, { status })).toBe(200);
  });

  it('its lease, CSINode and ResourceSlices', async () => {
    const { ask } = nodeCluster();
    expect(await ask('POST', leases('kube-node-lease'), { metadata: { name: 'n1' } })).toBe(201);
    expect(await ask('PATCH', `${leases('kube-node-lease')}/n1`, { spec: { holderIdentity: 'n1' } })).toBe(200);
    expect(await ask('POST', csiNodes, { metadata: { name: 'n1' }, spec: { drivers: [] } })).toBe(201);
    expect(await ask('DELETE', `${csiNodes}/n1`)).toBe(200);
    expect(await ask('POST', slices, slice('more', 'n1'))).toBe(201);
    expect(await ask('PATCH', `${slices}/more`, { spec: { devices: [{ name: 'gpu0' }] } })).toBe(200);
    expect(await ask('DELETE', `${slices}?fieldSelector=spec.nodeName%3Dn1`)).toBe(200);
  });

  it('events, and requests for its certificates', async () => {
    const { ask } = nodeCluster();
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'other' };
    const event = { metadata: { generateName: 'e-' }, involvedObject, reason: 'Pulled', type: 'Normal' };
    expect(await ask('POST', '/api/v1/namespaces/default/events', event)).toBe(201);
    for (const signer of [clientSigner, servingSigner])
      expect(await ask('POST', signing, certificateRequest('system:node:n1', signer))).toBe(201);
    expect(await ask('POST', signing, certificateRequest('any', 'example.com/signer'))).toBe(201);
  });
});
