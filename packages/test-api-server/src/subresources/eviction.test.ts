import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { pod, pods, setUp } from '../test-api-server.fixture.js';

const labels = { app: 'web' };
const eviction = (name: string) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });

/** Two ready pods, of which one must be available. */
function twoPods(disruptionBudgets: boolean) {
  const { server, call } = setUp({ disruptionBudgets });
  for (const name of ['a', 'b']) {
    server.objects.create(pod(name, { nodeName: 'n' }, { labels }));
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' as const }] } satisfies Pod['status'];
    server.objects.update<Pod>('pods', name, (each) => void Object.assign(each, { status }), { subresource: 'status' });
  }
  const spec = { minAvailable: 1, selector: { matchLabels: labels } };
  server.objects.create({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web' }, spec });
  const status = () => server.objects.get('poddisruptionbudgets', 'web') as { status?: object };
  return { server, status, evict: (name: string, query = '') => call('POST', `${pods}/${name}/eviction${query}`, eviction(name)) };
}

it('uses up the budget before it deletes the pod', async () => {
  const { server, evict, status } = twoPods(true);
  expect(status().status).toMatchObject({ disruptionsAllowed: 1 });
  const changes: string[] = [];
  server.objects.watch(({ type, resource, user }) => changes.push(`${type} ${resource} ${user}`));
  expect((await evict('a')).status).toBe(201);
  expect(changes.slice(0, 3)).toEqual([
    'MODIFIED poddisruptionbudgets system:apiserver',
    'MODIFIED pods kubernetes-admin',
    'MODIFIED pods kubernetes-admin',
  ]);
});

it('notes the disruption for the controller', async () => {
  const { evict, status } = twoPods(false);
  expect((await evict('a', '?dryRun=All')).status).toBe(201);
  expect(status().status).not.toHaveProperty('disruptedPods');
  await evict('a');
  expect(status().status).toMatchObject({
    disruptionsAllowed: 0,
    currentHealthy: 2,
    disruptedPods: { a: '2026-01-01T00:00:00Z' },
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
  });
});

it('refuses what the budget does not allow, without a time to retry', async () => {
  const { evict } = twoPods(true);
  await evict('a');
  const { status, headers, body } = await evict('b');
  expect([status, headers]).toEqual([429, expect.not.objectContaining({ 'retry-after': expect.anything() })]);
  expect(body.details).toEqual({
    causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget web needs 1 healthy pods and has 1 currently' }],
  });
});
