import { describe, expect, it } from 'vitest';
import { machineNetwork } from '../http/machine-network.js';
import { setUp } from '../test-api-server.fixture.js';

const namesOf = (body: { items: { metadata: { name: string } }[] }) => body.items.map(({ metadata }) => metadata.name);

describe('the objects of the start', () => {
  it('has the Service kubernetes at the first address of its range, with endpoints', async () => {
    const { call } = setUp();
    const { body } = await call('GET', '/api/v1/namespaces/default/services/kubernetes');
    expect(body.spec).toMatchObject({ clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] });
    const slice = await call('GET', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
    expect(slice.body).toMatchObject({ addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }], ports: [{ port: 6443 }] });
  });

  it('publishes the address on which it listens', async () => {
    const { server, call } = setUp({ network: machineNetwork });
    const { port } = new URL(await server.listen());
    const { body } = await call('GET', '/api/v1/namespaces/default/endpoints/kubernetes');
    expect(body.subsets).toEqual([{ addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port: Number(port), protocol: 'TCP' }] }]);
    await server.close();
  });

  it('has the flow schemas and priority levels of a cluster', async () => {
    const { call } = setUp();
    const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
    expect(namesOf((await call('GET', `${group}/flowschemas`)).body)).toHaveLength(13);
    const levels = ['catch-all', 'exempt', 'global-default', 'leader-election', 'node-high', 'system', 'workload-high', 'workload-low'];
    expect(namesOf((await call('GET', `${group}/prioritylevelconfigurations`)).body)).toEqual(levels);
  });

  it('has what aggregated API servers need to authenticate requests', async () => {
    const { server, call } = setUp();
    const { body } = await call('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
    expect(body.data).toEqual({
      'client-ca-file': server.caCertificate,
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-client-ca-file': server.caCertificate,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles';
    expect((await call('GET', `${roles}/extension-apiserver-authentication-reader`)).body.rules).toMatchObject([
      { resources: ['configmaps'] },
    ]);
  });

  it('gives the objects of the start the same UIDs in each server, and leaves its randomness alone', () => {
    const [first, second] = [setUp(), setUp({ random: () => 0.5 })];
    const uid = ({ server }: typeof first) => server.objects.get('services', 'kubernetes')?.metadata?.uid;
    expect(uid(first)).toBe(uid(second));
  });

  it('has the priority classes of critical pods', async () => {
    const { call } = setUp();
    const { items } = (await call('GET', '/apis/scheduling.k8s.io/v1/priorityclasses')).body;
    const values = items.map(({ metadata, value }: { metadata: { name: string }; value: number }) => [metadata.name, value]);
    expect(values).toEqual([
      ['system-cluster-critical', 2_000_000_000],
      ['system-node-critical', 2_000_001_000],
    ]);
  });

  it('recreates the Service kubernetes', async () => {
    const { call } = setUp();
    const url = '/api/v1/namespaces/default/services/kubernetes';
    await call('DELETE', url);
    expect((await call('GET', url)).body.spec.clusterIP).toBe('10.96.0.1');
  });

  it('recreates the CA bundle and the account of a namespace', async () => {
    const { server, call } = setUp();
    const bundle = '/api/v1/namespaces/default/configmaps/kube-root-ca.crt';
    await call('DELETE', bundle);
    await call('DELETE', '/api/v1/namespaces/default/serviceaccounts/default');
    expect((await call('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status).toBe(200);
    expect((await call('GET', bundle)).body.data['ca.crt']).toBe(server.caCertificate);
    await call('PATCH', bundle, { data: { 'ca.crt': 'none' } }, { 'content-type': 'application/merge-patch+json' });
    expect((await call('GET', bundle)).body.data).toEqual({ 'ca.crt': server.caCertificate });
  });
});
