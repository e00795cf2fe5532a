import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createRepeats } from './repeats.js';

it('knows a text for a minute', async () => {
  const clock = createVirtualClock();
  const repeats = createRepeats(clock);
  expect([repeats.isTold('a'), repeats.isTold('a'), repeats.isTold('b')]).toEqual([false, true, false]);
  await clock.advance(60_001);
  expect(repeats.isTold('a')).toBe(false);
});

it('takes texts that differ in how long something lasted for the same', () => {
  const repeats = createRepeats(createVirtualClock());
  repeats.isTold('no answer for 1.5s');
  expect([repeats.isTold('no answer for 20ms'), repeats.isTold('no answer of web-2')]).toEqual([true, false]);
});

it('finds a cause in what was told, unless it is too short to mean anything', () => {
  const repeats = createRepeats(createVirtualClock());
  repeats.isTold('listing failed: no such file: /run/x.sock (start it)');
  expect(repeats.isCauseTold('no such file: /run/x.sock')).toBe(true);
  expect(repeats.isCauseTold('no such file: /run/y.sock')).toBe(false);
  expect(repeats.isCauseTold('failed')).toBe(false);
});

it('remembers no more than the last texts', () => {
  const repeats = createRepeats(createVirtualClock());
  for (let index = 0; index < 500; index++) repeats.isTold(`text ${index}`);
  expect([repeats.isTold('text 499'), repeats.isTold('text 0')]).toEqual([true, false]);
});
