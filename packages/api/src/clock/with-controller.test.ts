import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { withController } from './with-controller.js';

it('aborts with the signal, and removes its listener', async () => {
  const outer = new AbortController();
  const reasons: unknown[] = [];
  const work = withController(outer.signal, async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    reasons.push(signal.reason);
    throw new Error('ended early');
  });
  expect(getEventListeners(outer.signal, 'abort')).toHaveLength(1);
  outer.abort('stopped');
  await expect(work).rejects.toThrow('ended early');
  expect(reasons).toEqual(['stopped']);
  expect(getEventListeners(outer.signal, 'abort')).toHaveLength(0);
});

it('can be aborted without a signal, and does not abort the given one', async () => {
  const outer = new AbortController();
  const abort = async (own: AbortController) => {
    own.abort();
    return own.signal.aborted;
  };
  expect(await withController(outer.signal, abort)).toBe(true);
  expect(await withController(undefined, abort)).toBe(true);
  expect(outer.signal.aborted).toBe(false);
});

it('does not call the work if the signal has aborted', async () => {
  let isStarted = false;
  const work = withController(AbortSignal.abort(new Error('stopped')), async () => {
    isStarted = true;
  });
  await expect(work).rejects.toThrow('stopped');
  expect(isStarted).toBe(false);
});
