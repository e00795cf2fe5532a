import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { onAbort } from './on-abort.js';

function setUp() {
  const [signal, until] = [new AbortController(), new AbortController()];
  const reasons: unknown[] = [];
  onAbort(signal.signal, (reason) => reasons.push(reason), until.signal);
  const listeners = () => [signal, until].map((controller) => getEventListeners(controller.signal, 'abort').length);
  return { signal, until, reasons, listeners };
}

it('calls the listener once with the reason and removes all listeners', () => {
  const { signal, reasons, listeners } = setUp();
  expect(listeners()).toEqual([1, 1]);
  signal.abort('enough');
  signal.abort('again');
  expect([reasons, listeners()]).toEqual([['enough'], [0, 0]]);
});

it('does not call the listener after `until` has aborted', () => {
  const { signal, until, reasons, listeners } = setUp();
  until.abort();
  expect(listeners()).toEqual([0, 0]);
  signal.abort('late');
  expect(reasons).toEqual([]);
});

it('adds no listener if `until` has aborted or there is no signal', () => {
  const { signal } = new AbortController();
  onAbort(signal, () => {}, AbortSignal.abort());
  onAbort(undefined, () => {}, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
