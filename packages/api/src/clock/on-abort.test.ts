import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { onAbort } from './on-abort.js';

function setUp() {
  const [signal, until] = [new AbortController(), new AbortController()];
  const heard: unknown[] = [];
  onAbort(signal.signal, (reason) => heard.push(reason), until.signal);
  const left = () => [signal, until].map((controller) => getEventListeners(controller.signal, 'abort').length);
  return { signal, until, heard, left };
}

it('tells the reason once and leaves nothing behind', () => {
  const { signal, heard, left } = setUp();
  expect(left()).toEqual([1, 1]);
  signal.abort('enough');
  signal.abort('again');
  expect([heard, left()]).toEqual([['enough'], [0, 0]]);
});

it('is not told after the end', () => {
  const { signal, until, heard, left } = setUp();
  until.abort();
  expect(left()).toEqual([0, 0]);
  signal.abort('late');
  expect(heard).toEqual([]);
});

it('hears nothing where it is over already, and needs no signal', () => {
  const { signal } = new AbortController();
  onAbort(signal, () => {}, AbortSignal.abort());
  onAbort(undefined, () => {}, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
