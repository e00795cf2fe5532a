import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createKubeClient } from '../client.js';
import { bookmark, openBody, podList, podObject, watchLine } from '../fixtures/scripted-transport.js';
import { createInProcessTransport, type InProcessServer } from './in-process-transport.js';

function setUp(handle: InProcessServer['handle']) {
  const clock = createVirtualClock();
  const transport = createInProcessTransport({ handle });
  return { clock, client: createKubeClient({ cluster: { server: 'http://test' }, transport, clock, random: seededRandom(1) }) };
}

const answer = (body: object) => ({ status: 200, headers: {}, body: JSON.stringify(body) });

describe('a server in the same process', () => {
  it('serves calls, lists and watches', async () => {
    const target: string[] = [];
    const { clock, client } = setUp(async ({ method, url, body, signal }) => {
      target.push(`${method} ${url.split('?')[0]} ${body ?? ''}`);
      if (!url.includes('watch=true')) return answer(method === 'POST' ? podObject('a', 1) : podList(1, []));
      const stream = openBody(signal);
      stream.write(watchLine('ADDED', podObject('b', 2)));
      return { status: 200, headers: {}, body: stream };
    });
    await client.pods.create({ metadata: { name: 'a', namespace: 'default' } });
    const informer = client.pods.informer();
    await informer.start();
    await clock.settle();
    expect(informer.list()).toHaveLength(1);
    await informer.stop();
    expect(target).toEqual([
      'POST /api/v1/namespaces/default/pods {"metadata":{"name":"a","namespace":"default"}}',
      'GET /api/v1/pods ',
      'GET /api/v1/pods ',
    ]);
    expect(clock.pending).toBe(0);
  });

  it('can ignore the signal: calls and watches end nevertheless', async () => {
    const { clock, client } = setUp(async ({ url }) => {
      if (url.includes('watch=true')) return { status: 200, headers: {}, body: openBody() };
      return url.startsWith('/version') ? new Promise(() => {}) : answer(podList(1, []));
    });
    const controller = new AbortController();
    const failure = client.version({ signal: controller.signal }).catch((error) => error);
    const informer = client.pods.informer();
    await informer.start();
    await clock.settle();
    controller.abort(new Error('enough'));
    expect(await failure).toMatchObject({ message: 'enough' });
    expect(informer.isCurrent).toBe(true);
    await informer.stop();
    expect(clock.pending).toBe(0);
  });

  it('loses its connections when they are closed', async () => {
    let watches = 0;
    const { clock, client } = setUp(async ({ url, signal }) => {
      if (!url.includes('watch=true')) return answer(podList(1, []));
      watches++;
      const stream = openBody(signal);
      stream.write(bookmark(2));
      return { status: 200, headers: {}, body: stream };
    });
    const informer = client.pods.informer();
    await informer.start();
    await clock.advance(5_000);
    client.closeConnections();
    await clock.advance(1_000);
    expect(watches).toBe(2);
    expect(informer.isCurrent).toBe(true);
    await informer.stop();
  });

  it('that throws is unreachable', async () => {
    const { client } = setUp(async () => {
      throw new Error('boom');
    });
    await expect(client.pods.create({ metadata: { name: 'a', namespace: 'default' } })).rejects.toMatchObject({
      code: 'ApiUnreachable',
      message: expect.stringContaining('boom'),
    });
  });
});
