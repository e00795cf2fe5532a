import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createRelists } from './relists.js';

function setUp() {
  const clock = createVirtualClock();
  const passed: [string, number][] = [];
  const relists = createRelists(clock, (uid) => void passed.push([uid, clock.monotonic()]));
  return { clock, passed, relists };
}

it('passes requests on once the clock has moved, each pod once', async () => {
  const { clock, passed, relists } = setUp();
  for (const uid of ['a', 'b', 'a']) relists.request(uid);
  expect(passed).toEqual([]);
  await clock.advance(5);
  relists.request('a');
  await clock.advance(5);
  expect(passed).toEqual([
    ['a', 1],
    ['b', 1],
    ['a', 6],
  ]);
});

it('forgets what waits when it stops, and can go on', async () => {
  const { clock, passed, relists } = setUp();
  relists.request('a');
  relists.stop();
  expect(clock.pending).toBe(0);
  relists.request('b');
  await clock.advance(5);
  expect(passed).toEqual([['b', 1]]);
});
