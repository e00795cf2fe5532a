import { getEventListeners } from 'node:events';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { settlesWithin } from './settles-within.js';

function setUp() {
  const clock = createVirtualClock();
  const controller = new AbortController();
  const limit = { clock, timeoutMs: 100, signal: controller.signal };
  const leftovers = () => [clock.pending, getEventListeners(controller.signal, 'abort').length];
  return { clock, controller, limit, leftovers };
}

const never = new Promise<never>(() => {});

it('is true for work that resolves in time', async () => {
  const { clock, limit, leftovers } = setUp();
  expect(await clock.run(settlesWithin(clock.sleep(99), limit))).toBe(true);
  expect(leftovers()).toEqual([0, 0]);
});

it('is false at the limit, and ignores a later rejection', async () => {
  const { clock, limit, leftovers } = setUp();
  const work = clock.sleep(200).then(() => Promise.reject(new Error('failed after the wait')));
  expect(await clock.run(settlesWithin(work, limit))).toBe(false);
  expect([clock.monotonic(), ...leftovers()]).toEqual([100, 1, 0]);
  await clock.advance(100);
});

it('rejects with the error of the work', async () => {
  const { limit, leftovers } = setUp();
  await expect(settlesWithin(Promise.reject(new Error('failed')), limit)).rejects.toThrow('failed');
  expect(leftovers()).toEqual([0, 0]);
});

it.each([100, Number.POSITIVE_INFINITY])("rejects with the signal's reason when it aborts first, with a limit of %s", async (timeoutMs) => {
  const { clock, controller, limit, leftovers } = setUp();
  const ended = settlesWithin(never, { ...limit, timeoutMs });
  await clock.advance(50);
  controller.abort(new Error('the agent stops'));
  await expect(ended).rejects.toThrow('the agent stops');
  expect(leftovers()).toEqual([0, 0]);
});

it('rejects immediately for an aborted signal, and ignores a rejection of the work', async () => {
  const { limit, controller } = setUp();
  controller.abort(new Error('the agent stops'));
  await expect(settlesWithin(Promise.reject(new Error('failed after the wait')), limit)).rejects.toThrow('the agent stops');
});
