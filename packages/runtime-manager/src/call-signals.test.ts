import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createCallSignals } from './call-signals.js';

/** Notes why calls are ended, by name. */
function notes() {
  const told: string[] = [];
  return { told, end: (name: string) => (reason: unknown) => void told.push(`${name}: ${reason}`) };
}

describe('call signals', () => {
  it('end the calls in flight, of any caller, with the reason of whichever signal aborts', () => {
    const [ended, caller, other] = [new AbortController(), new AbortController(), new AbortController()];
    const signals = createCallSignals(ended.signal);
    const { told, end } = notes();
    const [plain, one, two] = [signals.of(undefined), signals.of(caller.signal), signals.of(other.signal)];
    plain.onAbort(end('plain'));
    one.onAbort(end('one'));
    one.onAbort(end('one again'));
    two.onAbort(end('two'));
    two.onAbort(end('answered'))();
    caller.abort('not wanted');
    expect(told).toEqual(['one: not wanted', 'one again: not wanted']);
    expect([plain, one, two].map(({ signal }) => signal?.aborted)).toEqual([false, true, false]);
    ended.abort('the end');
    expect(told.slice(2)).toEqual(['plain: the end', 'two: the end']);
    expect([plain, two].map(({ signal }) => signal?.reason)).toEqual(['the end', 'the end']);
  });

  it('refuse calls that are not wanted any more', () => {
    const ended = new AbortController();
    const signals = createCallSignals(ended.signal);
    expect(() => signals.of(AbortSignal.abort(new Error('not wanted')))).toThrow('not wanted');
    ended.abort(new Error('the end'));
    expect(() => signals.of(undefined)).toThrow('the end');
    expect(() => signals.of(new AbortController().signal)).toThrow('the end');
  });

  it('are those given where there are not two of them', () => {
    const { signal } = new AbortController();
    expect(createCallSignals(undefined).of(undefined).signal).toBeUndefined();
    expect(createCallSignals(undefined).of(signal).signal).toBe(signal);
    expect(createCallSignals(signal).of(undefined).signal).toBe(signal);
    expect(createCallSignals(signal).of(signal).signal).toBe(signal);
  });

  it('leave one listener on a signal, however many calls and callers there are', () => {
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
