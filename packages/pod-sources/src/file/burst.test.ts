import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createBurst } from './burst.js';

function setUp(maxNames = 10) {
  const clock = createVirtualClock();
  const bursts: (string[] | string)[] = [];
  const burst = createBurst({
    clock,
    quietMs: 50,
    maxMs: 200,
    maxNames,
    onBurst: (names) => bursts.push(names === 'all' ? names : [...names]),
  });
  return { clock, bursts, burst };
}

it('reports events in quick succession once', async () => {
  const { clock, bursts, burst } = setUp();
  burst.add('a');
  await clock.advance(49);
  burst.add('b');
  burst.add('a');
  await clock.advance(49);
  expect(bursts).toEqual([]);
  await clock.advance(1);
  expect(bursts).toEqual([['a', 'b']]);
  expect(clock.pending).toBe(0);
});

it('ends a burst after its maximum duration although events continue', async () => {
  const { clock, bursts, burst } = setUp();
  for (let at = 0; at < 200; at += 40) {
    burst.add('a');
    await clock.advance(40);
  }
  expect(bursts).toEqual([['a']]);
});

it('reports all entries if a name is unknown or there are too many names', async () => {
  const { clock, bursts, burst } = setUp(2);
  for (const name of ['a', 'b', 'c']) burst.add(name);
  await clock.advance(50);
  burst.add(undefined);
  burst.add('a');
  await clock.advance(50);
  expect(bursts).toEqual(['all', 'all']);
});

it('discards the current burst on clear', async () => {
  const { clock, bursts, burst } = setUp();
  burst.add('a');
  burst.clear();
  await clock.advance(1000);
  expect(bursts).toEqual([]);
});
