import { isApiReason } from '@nodeagent/api';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createKubeClient } from './client.js';
import { createInProcessTransport } from './transport/in-process-transport.js';

function setUp() {
  const clock = createVirtualClock();
  const random = seededRandom(1);
  const server = createTestApiServer({ clock, random });
  const client = createKubeClient({ cluster: { server: 'http://test' }, transport: createInProcessTransport(server), clock, random });
  return { clock, server, client };
}

const pod = { metadata: { name: 'web', namespace: 'default' }, spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'nginx' }] } };
const key = { namespace: 'default', name: 'web' };

describe('the client against a test API server', () => {
  it('creates, patches and deletes', async () => {
    const { client, server } = setUp();
    await client.pods.create(pod);
    const patched = await client.pods.patch(key, { status: { phase: 'Running' } }, { subresource: 'status' });
    expect(patched.status).toMatchObject({ phase: 'Running', qosClass: 'BestEffort' });
    const stale = { ...patched, metadata: { ...patched.metadata, resourceVersion: '1' } };
    await expect(client.pods.update(stale).catch((error) => isApiReason(error, 'Conflict'))).resolves.toBe(true);
    await client.pods.delete(key, { gracePeriodSeconds: 0, preconditions: { uid: patched.metadata?.uid ?? '' } });
    expect(server.objects.list('pods')).toEqual([]);
    await expect(client.pods.get(key).catch((error) => isApiReason(error, 'NotFound'))).resolves.toBe(true);
  });

  it('follows pods through lost, ended and expired watches and a busy server', async () => {
    const { client, server, clock } = setUp();
    const informer = client.pods.informer({ fieldSelector: 'spec.nodeName=n1' });
    await informer.start();
    const names = () => informer.list().map(({ metadata }) => metadata?.name);
    const create = (name: string) => server.objects.create({ apiVersion: 'v1', kind: 'Pod', ...pod, metadata: { name } });
    create('a');
    await clock.until(() => names().length === 1);
    for (const [index, how] of (['cut', 'end', 'expire'] as const).entries()) {
      server.dropWatches(how);
      server.fault({ match: { resource: 'pods' }, status: 503 });
      create(`${how}`);
      await clock.until(() => names().length === index + 2);
    }
    server.forgetHistory();
    server.dropWatches('cut');
    server.objects.delete('pods', 'a', { gracePeriodSeconds: 0 });
    await clock.until(() => !names().includes('a'));
    expect(names().sort()).toEqual(['cut', 'end', 'expire']);
    await informer.stop();
    await server.close();
    expect(clock.pending).toBe(0);
  });
});
