import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import type { ControllerObjects, StoredObject } from './controller-objects.js';
import { controllerManager } from './controller-objects.js';
import { EventWriter } from './event-writer.js';

const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { namespace: 'default', name: 'web', uid: 'u' } };

function setUp() {
  const clock = createVirtualClock();
  const stored = new Map<string, StoredObject>();
  const objects = {
    get: (_storage: string, _namespace: string, name: string) => stored.get(name),
    create: (_storage: string, object: StoredObject) => stored.set(object.metadata.name ?? '', object) && object,
    replace: (_storage: string, _before: StoredObject, object: StoredObject) => void stored.set(object.metadata.name ?? '', object),
  } as unknown as ControllerObjects;
  const events = new EventWriter(objects, clock);
  const write = (message: string) =>
    events.write(set, { component: 'replicaset-controller', type: 'Normal', reason: 'SuccessfulCreate', message }, controllerManager);
  return { clock, stored, events, write, seen: () => [...stored.values()].map(({ message, count }) => `${count} ${message}`) };
}

it('counts an event that repeats', async () => {
  const { clock, write, stored } = setUp();
  write('Created pod: web-1');
  await clock.advance(5_000);
  write('Created pod: web-1');
  expect([...stored.values()]).toMatchObject([
    {
      count: 2,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:05Z',
      source: { component: 'replicaset-controller' },
    },
  ]);
});

it('combines similar events from the tenth on, and drops those of an object beyond 25 until five minutes have passed', async () => {
  const { clock, write, seen } = setUp();
  for (let n = 1; n <= 40; n++) write(`Created pod: web-${n}`);
  expect(seen()).toEqual([
    ...Array.from({ length: 9 }, (_, i) => `1 Created pod: web-${i + 1}`),
    '16 (combined from similar events): Created pod: web-25',
  ]);
  await clock.advance(300_000);
  write('Created pod: web-41');
  expect(seen().at(-1)).toBe('32 (combined from similar events): Created pod: web-41');
});

it('creates an event again that has expired, with its count', () => {
  const { write, stored, seen } = setUp();
  write('Created pod: web-1');
  stored.clear();
  write('Created pod: web-1');
  expect(seen()).toEqual(['2 Created pod: web-1']);
});

it('writes the events of a scheduler in their newer form, with a series', async () => {
  const { clock, stored, events } = setUp();
  const writer = { user: { username: 'system:kube-scheduler' }, fieldManager: 'kube-scheduler' };
  const event = {
    component: 'default-scheduler',
    type: 'Warning',
    reason: 'FailedScheduling',
    message: '0/1 nodes are available',
  } as const;
  events.write(set, event, writer);
  expect([...stored.values()]).toMatchObject([
    {
      eventTime: '2026-01-01T00:00:00.000000Z',
      lastTimestamp: null,
      source: {},
      reportingComponent: 'default-scheduler',
      action: 'Scheduling',
    },
  ]);
  expect([...stored.values()][0]).not.toHaveProperty('count');
  await clock.advance(60_000);
  events.write(set, event, writer);
  expect([...stored.values()]).toMatchObject([{ series: { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' } }]);
  await clock.advance(60_000);
  events.write(set, event, writer);
  expect([...stored.values()]).toMatchObject([{ series: { count: 2 } }]);
  await clock.advance(360_000);
  events.write(set, event, writer);
  expect([...stored.values()]).toMatchObject([{ series: { count: 3, lastObservedTime: '2026-01-01T00:02:00.000000Z' } }, {}]);
});
