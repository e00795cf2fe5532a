import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAbortController } from './abort-controller.js';
import { abortable } from './abortable.js';

const warnings: string[] = [];
const keep = (warning: Error) => warnings.push(warning.name);
beforeEach(() => {
  warnings.length = 0;
  process.on('warning', keep);
});
afterEach(() => void process.off('warning', keep));

const emitted = () => new Promise((resolve) => setTimeout(resolve, 5));

it('takes any number of listeners without a warning about a leak', async () => {
  const { signal } = createAbortController();
  for (let count = 0; count < 30; count++) signal.addEventListener('abort', () => {});
  await emitted();
  expect(warnings).toEqual([]);
});

it('calls each listener once, in order, unless it was removed or added too late', () => {
  const controller = createAbortController();
  const { signal } = controller;
  const calls: string[] = [];
  const removed = () => calls.push('removed');
  const byFirst = () => calls.push('removed by the first');
  const added = () => calls.push('added by the first');
  const first = () => {
    calls.push(`first: ${signal.reason}`);
    signal.removeEventListener('abort', byFirst);
    signal.addEventListener('abort', added);
  };
  for (const listener of [first, removed, byFirst]) signal.addEventListener('abort', listener, { once: true });
  signal.addEventListener('abort', first);
  signal.addEventListener('abort', { handleEvent: ({ type }) => calls.push(`object: ${type}`) });
  signal.removeEventListener('abort', removed);
  controller.abort('stop');
  controller.abort('again');
  signal.addEventListener('abort', added);
  expect(calls).toEqual(['first: stop', 'object: abort']);
});

it('works where signals are joined, and removes listeners with another signal', async () => {
  const controller = createAbortController();
  const until = new AbortController();
  const calls: string[] = [];
  controller.signal.addEventListener('abort', () => calls.push('until'), { signal: until.signal });
  until.abort();
  const joined = AbortSignal.any([controller.signal, new AbortController().signal]);
  const waiting = abortable(new Promise(() => {}), controller.signal);
  controller.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  expect([joined.aborted, calls]).toEqual([true, []]);
});
