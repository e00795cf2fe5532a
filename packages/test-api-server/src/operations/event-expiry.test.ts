import type { Event } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestApiServer } from '../test-api-server.js';

it('deletes events an hour after their last write', async () => {
  const clock = createVirtualClock();
  const server = createTestApiServer({ clock });
  const names = () => server.objects.list<Event>('events').map(({ metadata }) => metadata?.name);
  const about = { involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' }, reason: 'Started', type: 'Normal' };
  const create = (name: string) => server.objects.create({ apiVersion: 'v1', kind: 'Event', metadata: { name }, ...about });
  create('first');
  await clock.advance(1_800_000);
  create('second');
  create('third');
  server.objects.delete('events', 'third');
  await clock.advance(1_799_999);
  server.objects.update<Event & { count?: number }>('events', 'first', (event) => Object.assign(event, { count: 2 }));
  expect(names()).toEqual(['first', 'second']);
  await clock.advance(1_800_001);
  expect(names()).toEqual(['first']);
  await clock.advance(1_800_000);
  expect(names()).toEqual([]);
  expect(clock.pending).toBe(0);
  await server.close();
});
