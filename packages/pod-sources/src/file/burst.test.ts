import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createBurst } from './burst.js';

function setUp(maxNames = 10) {
  const clock = createVirtualClock();
  const told: (string[] | string)[] = [];
  const burst = createBurst({
    clock,
    quietMs: 50,
    longestMs: 200,
    maxNames,
    onBurst: (names) => told.push(names === 'anything' ? names : [...names]),
  });
  return { clock, told, burst };
}

it('tells events that come close together once', async () => {
  const { clock, told, burst } = setUp();
  burst.add('a');
  await clock.advance(49);
  burst.add('b');
  burst.add('a');
  await clock.advance(49);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual([['a', 'b']]);
  expect(clock.pending).toBe(0);
});

it('does not wait for ever', async () => {
  const { clock, told, burst } = setUp();
  for (let at = 0; at < 200; at += 40) {
    burst.add('a');
    await clock.advance(40);
  }
  expect(told).toEqual([['a']]);
});

it('keeps a bounded number of names', async () => {
  const { clock, told, burst } = setUp(2);
  for (const name of ['a', 'b', 'c']) burst.add(name);
  await clock.advance(50);
  burst.add(undefined);
  burst.add('a');
  await clock.advance(50);
  expect(told).toEqual(['anything', 'anything']);
});

it('forgets what was gathered', async () => {
  const { clock, told, burst } = setUp();
  burst.add('a');
  burst.clear();
  await clock.advance(1000);
  expect(told).toEqual([]);
});
