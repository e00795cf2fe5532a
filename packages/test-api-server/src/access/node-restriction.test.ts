import { describe, expect, it } from 'vitest';
import { pod, pods, setUp } from '../test-api-server.fixture.js';

function asNode() {
  const user = { username: 'system:node:n1', groups: ['system:nodes'] };
  const { call, server } = setUp({ nodeRestriction: true, tokens: { secret: user } });
  const ask = async (method: string, url: string, body?: unknown) => {
    const { status, body: answer } = await call(method, url, body, {
      authorization: 'Bearer secret',
      ...(method === 'PATCH' && { 'content-type': 'application/merge-patch+json' }),
    });
    return status < 400 ? status : answer.message;
  };
  return { server, ask };
}

describe('a node may write', () => {
  it('its own Node, without labels that isolate workloads', async () => {
    const { ask } = asNode();
    const node = (name: string) => ({ metadata: { name, labels: { 'kubernetes.io/hostname': name } } });
    expect(await ask('POST', '/api/v1/nodes', node('n1'))).toBe(201);
    expect(await ask('POST', '/api/v1/nodes', node('n2'))).toBe('nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"');
    expect(await ask('PATCH', '/api/v1/nodes/n1/status', { status: { phase: 'x' } })).toBe(200);
    expect(
      await ask('PATCH', '/api/v1/nodes/n1', { metadata: { labels: { 'example.com/any': 'x', 'kubelet.kubernetes.io/x': 'y' } } }),
    ).toBe(200);
    const label = (key: string) => ask('PATCH', '/api/v1/nodes/n1', { metadata: { labels: { [key]: 'x' } } });
    expect(await label('node-restriction.kubernetes.io/x')).toContain('is not allowed to modify labels: node-restriction.kubernetes.io/x');
    expect(await label('node-role.kubernetes.io/control-plane')).toContain('node-role.kubernetes.io/control-plane');
  });

  it('the status of its pods, their deletion, and mirror pods', async () => {
    const { server, ask } = asNode();
    for (const [name, nodeName] of [
      ['mine', 'n1'],
      ['other', 'n2'],
    ] as const)
      server.objects.create(pod(name, { nodeName }));
    expect(await ask('PATCH', `${pods}/mine/status`, { status: { phase: 'Running' } })).toBe(200);
    expect(await ask('PATCH', `${pods}/other/status`, { status: { phase: 'Running' } })).toContain('can only update pod status for pods');
    expect(await ask('PATCH', `${pods}/mine`, { metadata: { labels: { a: 'b' } } })).toContain('unexpected pod subresource ""');
    expect(await ask('POST', `${pods}/other/eviction`, {})).toContain('can only evict pods');
    expect(await ask('DELETE', `${pods}/other`, { gracePeriodSeconds: 0 })).toContain(
      'can only delete pods with spec.nodeName set to itself',
    );
    expect(await ask('DELETE', `${pods}/mine`, { gracePeriodSeconds: 0 })).toBe(200);
    expect(await ask('POST', pods, pod('plain', { nodeName: 'n1' }))).toContain('can only create mirror pods');
    const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
    expect(await ask('POST', pods, pod('elsewhere', { nodeName: 'n2' }, mirror))).toContain(
      'can only create pods with spec.nodeName set to itself',
    );
    expect(await ask('POST', pods, pod('static', { nodeName: 'n1' }, mirror))).toBe(201);
  });

  it('tokens for its pods, its lease and its CSINode', async () => {
    const { server, ask } = asNode();
    for (const [name, nodeName] of [
      ['mine', 'n1'],
      ['other', 'n2'],
    ] as const)
      server.objects.create(pod(name, { nodeName }));
    const token = (name?: string) =>
      ask('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
        spec: name ? { boundObjectRef: { kind: 'Pod', name } } : {},
      });
    expect(await token('mine')).toBe(201);
    expect(await token('other')).toContain('bound to a pod scheduled on a different node');
    expect(await token()).toContain('node requested token not bound to a pod');
    const lease = (namespace: string, name: string) =>
      ask('POST', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, { metadata: { name } });
    expect(await lease('kube-node-lease', 'n1')).toBe(201);
    expect(await lease('kube-node-lease', 'n2')).toContain('with the same name as the requesting node');
    expect(await lease('default', 'n1')).toContain('"kube-node-lease" system namespace');
    expect(await ask('POST', '/apis/storage.k8s.io/v1/csinodes', { metadata: { name: 'n2' }, spec: { drivers: [] } })).toContain(
      'can only access CSINode',
    );
  });
});
