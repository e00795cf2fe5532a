import type { Event, KubeObject } from '@nodeagent/api';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';

it('creates pods in batches of 1, 2, 4 and so on, and stops after the batch in which one fails', async () => {
  const server = createTestApiServer({ clock: createVirtualClock(), workloads: true });
  server.objects.create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { pods: '3' } } } as KubeObject);
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'web:1' }] } };
  server.objects.create({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web' },
    spec: { replicas: 20, selector: { matchLabels: labels }, template },
  } as KubeObject);
  const reasons = () => server.objects.list<Event>('events').map(({ reason }) => reason);
  expect(server.objects.list('pods')).toHaveLength(3);
  expect(reasons().slice(0, 7)).toEqual([...Array(3).fill('SuccessfulCreate'), ...Array(4).fill('FailedCreate')]);
  expect(server.objects.get<KubeObject & { status: object }>('replicasets', 'web')?.status).toMatchObject({
    replicas: 3,
    conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }],
  });
  await server.close();
});
