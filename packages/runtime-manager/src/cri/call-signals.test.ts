import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createCallSignals } from './call-signals.js';

/** Records the reasons with which calls abort, by their names. */
function recordAborts() {
  const aborts: string[] = [];
  return { aborts, end: (name: string) => (reason: unknown) => void aborts.push(`${name}: ${reason}`) };
}

describe('call signals', () => {
  it('abort pending calls with the reason of the signal that aborts first', () => {
    const [ended, caller, other] = [new AbortController(), new AbortController(), new AbortController()];
    const signals = createCallSignals(ended.signal);
    const { aborts, end } = recordAborts();
    const [plain, one, two] = [signals.of(undefined), signals.of(caller.signal), signals.of(other.signal)];
    plain.onAbort(end('plain'));
    one.onAbort(end('one'));
    one.onAbort(end('one again'));
    two.onAbort(end('two'));
    two.onAbort(end('answered'))();
    caller.abort('not wanted');
    expect(aborts).toEqual(['one: not wanted', 'one again: not wanted']);
    expect([plain, one, two].map(({ signal }) => signal?.aborted)).toEqual([false, true, false]);
    ended.abort('the end');
    expect(aborts.slice(2)).toEqual(['plain: the end', 'two: the end']);
    expect([plain, two].map(({ signal }) => signal?.reason)).toEqual(['the end', 'the end']);
  });

  it('reject calls whose signal has aborted', () => {
    const ended = new AbortController();
    const signals = createCallSignals(ended.signal);
    expect(() => signals.of(AbortSignal.abort(new Error('not wanted')))).toThrow('not wanted');
    ended.abort(new Error('the end'));
    expect(() => signals.of(undefined)).toThrow('the end');
    expect(() => signals.of(new AbortController().signal)).toThrow('the end');
  });

  it('are the given signal itself if there is only one', () => {
    const { signal } = new AbortController();
    expect(createCallSignals(undefined).of(undefined).signal).toBeUndefined();
    expect(createCallSignals(undefined).of(signal).signal).toBe(signal);
    expect(createCallSignals(signal).of(undefined).signal).toBe(signal);
    expect(createCallSignals(signal).of(signal).signal).toBe(signal);
  });

  it('leave one listener on a signal for any number of calls', () => {
    const [ended, caller] = [new AbortController().signal, new AbortController().signal];
    const signals = createCallSignals(ended);
    for (let i = 0; i < 20; i++) {
      signals.of(caller).onAbort(() => {})();
      signals.of(new AbortController().signal).onAbort(() => {})();
    }
    expect(signals.of(caller).signal).toBe(signals.of(caller).signal);
    expect([ended, caller].map((signal) => getEventListeners(signal, 'abort').length)).toEqual([1, 1]);
  });
});
