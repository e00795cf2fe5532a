import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createRepeats } from './repeats.js';

it('remembers a text for a minute', async () => {
  const clock = createVirtualClock();
  const repeats = createRepeats(clock);
  expect([repeats.isRepeat('a'), repeats.isRepeat('a'), repeats.isRepeat('b')]).toEqual([false, true, false]);
  await clock.advance(60_001);
  expect(repeats.isRepeat('a')).toBe(false);
});

it('ignores durations when comparing texts', () => {
  const repeats = createRepeats(createVirtualClock());
  repeats.isRepeat('no answer for 1.5s');
  expect([repeats.isRepeat('no answer for 20ms'), repeats.isRepeat('no answer of web-2')]).toEqual([true, false]);
});

it('finds a cause in logged texts, unless it is too short', () => {
  const repeats = createRepeats(createVirtualClock());
  repeats.isRepeat('listing failed: no such file: /run/x.sock (start it)');
  expect(repeats.isCauseLogged('no such file: /run/x.sock')).toBe(true);
  expect(repeats.isCauseLogged('no such file: /run/y.sock')).toBe(false);
  expect(repeats.isCauseLogged('failed')).toBe(false);
});

it('limits the number of remembered texts', () => {
  const repeats = createRepeats(createVirtualClock());
  for (let index = 0; index < 500; index++) repeats.isRepeat(`text ${index}`);
  expect([repeats.isRepeat('text 499'), repeats.isRepeat('text 0')]).toEqual([true, false]);
});
