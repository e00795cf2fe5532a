import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../clock/virtual-clock.js';
import { seededRandom } from '../random/seeded-random.js';
import { createTestApiServer } from './test-api-server.js';

const pod = (name: string, spec: Record<string, unknown> = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'nginx' }], ...spec },
});

function setUp(options: Parameters<typeof createTestApiServer>[0] = {}) {
  const clock = createVirtualClock();
  const server = createTestApiServer({ clock, random: seededRandom(1), ...options });
  const call = async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await server.handle({ method, url, body, headers });
    return {
      status: response.status,
      headers: response.headers,
      body: typeof response.body === 'string' ? JSON.parse(response.body) : response.body,
    };
  };
  return { clock, server, call };
}

describe('test API server', () => {
  it('creates, reads, changes and deletes a pod as a cluster does', async () => {
    const { call } = setUp();
    const url = '/api/v1/namespaces/default/pods';
    const created = await call('POST', url, pod('web', { nodeName: 'n1' }));
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      metadata: { name: 'web', namespace: 'default', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: {
        restartPolicy: 'Always',
        serviceAccountName: 'default',
        priority: 0,
        tolerations: [{ key: 'node.kubernetes.io/not-ready', tolerationSeconds: 300 }, { key: 'node.kubernetes.io/unreachable' }],
        containers: [{ imagePullPolicy: 'Always', terminationMessagePath: '/dev/termination-log' }],
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
    expect((await call('POST', url, pod('web'))).body).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'pods "web" already exists',
    });
    const patched = await call(
      'PATCH',
      `${url}/web/status`,
      { status: { phase: 'Running' } },
      { 'content-type': 'application/strategic-merge-patch+json' },
    );
    expect(patched.body.status).toMatchObject({ phase: 'Running', qosClass: 'BestEffort' });
    const stale = await call('PUT', `${url}/web`, created.body);
    expect(stale.body).toMatchObject({ code: 409, reason: 'Conflict' });
    const deleting = await call('DELETE', `${url}/web`);
    expect(deleting.body.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 });
    expect((await call('DELETE', `${url}/web`, { gracePeriodSeconds: 0 })).status).toBe(200);
    expect((await call('GET', `${url}/web`)).body).toMatchObject({
      code: 404,
      message: 'pods "web" not found',
      details: { name: 'web', kind: 'pods' },
    });
  });
});
