import type { ContainerEventResponse } from '@nodeagent/cri-api';
import { expect, it } from 'vitest';
import { createEventHub, maxPendingEvents } from './events.js';
import { collect } from './test-harness.js';

const event = (containerId: string): ContainerEventResponse => ({
  containerId,
  containerEventType: 'CONTAINER_CREATED_EVENT',
  createdAt: 0n,
  containersStatuses: [],
});

it('sends every event since its subscription to each subscriber, in order', async () => {
  const hub = createEventHub();
  hub.publish(event('before'));
  const first = hub.subscribe();
  hub.publish(event('a'));
  const second = hub.subscribe();
  hub.publish(event('b'));
  hub.close();
  const ids = async (stream: AsyncIterable<ContainerEventResponse>) => (await collect(stream)).map(({ containerId }) => containerId);
  expect(await ids(first)).toEqual(['a', 'b']);
  expect(await ids(second)).toEqual(['b']);
});

it('ends the stream of a slow subscriber with an error after its pending events', async () => {
  const hub = createEventHub();
  const stream = hub.subscribe();
  for (let n = 0; n <= maxPendingEvents + 1; n++) hub.publish(event(`${n}`));
  let count = 0;
  const read = async () => {
    for await (const _ of stream) count++;
  };
  await expect(read()).rejects.toMatchObject({ code: 'CRI_UNKNOWN' });
  expect(count).toBe(maxPendingEvents);
});

it('ends when the signal of the subscriber aborts, also while it waits', async () => {
  const hub = createEventHub();
  const stop = new AbortController();
  const reading = collect(hub.subscribe(stop.signal));
  stop.abort();
  hub.publish(event('late'));
  expect(await reading).toEqual([]);
  expect(await collect(hub.subscribe(stop.signal))).toEqual([]);
});
