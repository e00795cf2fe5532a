import { errorMessage } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { pod, pods, setUp } from '../test-api-server.fixture.js';

const refused = expect.objectContaining({ code: 'InvalidOption', details: { field: 'network' } });

describe('a server without a network', () => {
  it('refuses clients outside of this process, and names the network of the machine', async () => {
    const { server } = setUp();
    await expect(server.listen()).rejects.toEqual(refused);
    expect(() => server.issueClientCertificate({ username: 'jane' })).toThrow(refused);
    expect(await server.listen().catch(errorMessage)).toContain('machineNetwork of @nodeagent/test-api-server/node');
    await server.close();
  });

  it('answers requests for nodes outside of this process with the error', async () => {
    const { server, call } = setUp();
    const status = { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] };
    server.objects.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status });
    server.objects.create(pod('web', { nodeName: 'n1' }));
    const { status: code, body } = await call('GET', `${pods}/web/log`);
    expect([code, body.message]).toEqual([500, expect.stringContaining('machineNetwork')]);
    await server.close();
  });

  it('publishes the certificate of an authority whose key was deleted', async () => {
    const { server, call } = setUp();
    const { body } = await call('GET', '/api/v1/namespaces/default/configmaps/kube-root-ca.crt');
    expect(body.data['ca.crt']).toBe(server.caCertificate);
    expect(server.caCertificate).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
    await server.close();
  });
});
