import type { KubeObject, Pod } from '@nodeagent/api';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { aNode, type NodeInput } from './test-cluster-objects.js';

interface SchedulerEvent extends KubeObject {
  message: string;
  series?: { count: number };
}

function setUp() {
  const clock = createVirtualClock();
  const server = createTestApiServer({ clock, scheduler: true });
  const node = (input?: NodeInput) => ({ apiVersion: 'v1', kind: 'Node', ...aNode('a', input) }) as KubeObject;
  const { objects } = server;
  const spec = { nodeSelector: { disk: 'fast' }, containers: [{ name: 'main', image: 'web:1' }] };
  objects.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec } as KubeObject);
  /** The scheduler's events, each with the number of its attempts. */
  const seen = () => objects.list<SchedulerEvent>('events').map(({ message, series }) => `${series?.count ?? 1} ${message.slice(0, 30)}`);
  const change = (input: NodeInput) =>
    objects.update('nodes', 'a', (stored) => {
      const { metadata, ...content } = node(input);
      Object.assign(stored, content);
      Object.assign(stored.metadata ?? {}, metadata);
    });
  return { clock, server, node, change, seen, nodeOf: () => objects.get<Pod & KubeObject>('pods', 'web')?.spec?.nodeName };
}

it('retries a pod without nodes after 1 s, 2 s, 4 s and so on, whatever changes meanwhile', async () => {
  const { clock, server, node, seen, nodeOf } = setUp();
  await clock.advance(3_500);
  server.objects.create(node({ labels: { disk: 'fast' } }));
  await clock.advance(3_000);
  expect(nodeOf()).toBeUndefined();
  // The second attempt is about a changed pod, so its event is a new one.
  expect(seen()).toEqual(['1 no nodes available to schedule', '2 no nodes available to schedule']);
  await clock.advance(600);
  expect(nodeOf()).toBe('a');
  await server.close();
});

it('reports each attempt, and makes one only after a change that may help', async () => {
  const { clock, server, node, change, seen, nodeOf } = setUp();
  server.objects.create(node({ taints: [{ key: 'k', effect: 'NoSchedule' }] }));
  await clock.advance(1_000);
  const rejected = '0/1 nodes are available: 1 nod';
  expect(seen()).toEqual(['1 no nodes available to schedule', `1 ${rejected}`]);
  change({ taints: [{ key: 'k', effect: 'NoSchedule' }], labels: { other: 'label' } });
  await clock.advance(1_000);
  expect(seen()).toHaveLength(2);
  change({ labels: { other: 'label' } });
  await clock.advance(1_000);
  expect(seen()).toHaveLength(3);
  change({ labels: { disk: 'fast' } });
  await clock.advance(1_000);
  expect(nodeOf()).toBe('a');
  await server.close();
});
