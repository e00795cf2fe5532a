import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTicker, nextTick } from './ticker.js';

it('keeps ticks at multiples of the period, makes up for one immediately and counts the others as missed', () => {
  expect(nextTick(100, 100, 30)).toEqual({ waitMs: 70, dueAt: 200, missed: 0 });
  expect(nextTick(100, 100, 100)).toEqual({ waitMs: 0, dueAt: 200, missed: 0 });
  expect(nextTick(100, 100, 199)).toEqual({ waitMs: 0, dueAt: 200, missed: 0 });
  expect(nextTick(100, 100, 250)).toEqual({ waitMs: 0, dueAt: 300, missed: 1 });
  expect(nextTick(100, 100, 1_050)).toEqual({ waitMs: 0, dueAt: 1_100, missed: 9 });
});

it('does not drift, restarts the period when triggered, and ends the wait when stopped', async () => {
  const clock = createVirtualClock();
  const ticker = createTicker(clock, 1_000);
  const times: number[] = [];
  const missed: number[] = [];
  const run = async () => {
    for (let i = 0; i < 7; i++) {
      missed.push(await ticker.wait());
      times.push(clock.monotonic());
      if (i === 1) await clock.sleep(2_500);
    }
  };
  const running = run();
  await clock.advance(5_200);
  expect(times).toEqual([1_000, 2_000, 4_500, 5_000]);
  expect(missed).toEqual([0, 0, 1, 0]);
  ticker.trigger();
  await clock.advance(1_100);
  expect(times.slice(4)).toEqual([5_200, 6_200]);
  ticker.stop();
  await running;
  expect(times.slice(6)).toEqual([6_300]);
  expect(clock.pending).toBe(0);
});

it('applies a trigger to the next wait if none is pending', async () => {
  const clock = createVirtualClock();
  const ticker = createTicker(clock, 1_000);
  ticker.trigger();
  expect(await ticker.wait()).toBe(0);
  expect(clock.monotonic()).toBe(0);
});
