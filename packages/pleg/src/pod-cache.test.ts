import { describe, expect, it } from 'vitest';
import { createPodCache, emptyPodStatus } from './pod-cache.js';

const named = (name: string) => ({ ...emptyPodStatus('a'), name });
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Follows a promise without waiting for it. */
function track<T>(promise: Promise<T>) {
  const seen: { value?: T; error?: unknown; settled: boolean } = { settled: false };
  promise.then(
    (value) => Object.assign(seen, { value, settled: true }),
    (error) => Object.assign(seen, { error, settled: true }),
  );
  return seen;
}

describe('get', () => {
  it('returns an empty status for an unknown pod', () => {
    expect(createPodCache().get('a')).toEqual(emptyPodStatus('a'));
  });

  it('throws the stored error, the same one each time', () => {
    const cache = createPodCache();
    const error = new Error('boom');
    cache.set('a', undefined, error, 1);
    expect(() => cache.get('a')).toThrow(error);
    expect(() => cache.get('a')).toThrow(error);
    cache.set('a', named('v2'), undefined, 2);
    expect(cache.get('a').name).toBe('v2');
  });
});

describe('getNewerThan', () => {
  it('waits for the first inspection, and then for strictly newer ones', async () => {
    const cache = createPodCache();
    const first = track(cache.getNewerThan('a', Number.NEGATIVE_INFINITY));
    await settle();
    expect(first.settled).toBe(false);
    cache.set('a', named('v1'), undefined, 5);
    await settle();
    expect(first.value?.name).toBe('v1');

    const second = track(cache.getNewerThan('a', 5));
    await settle();
    expect(second.settled).toBe(false);
    cache.updateTime(6);
    await settle();
    expect(second.value?.name).toBe('v1');
  });

  it('resolves a waiter at its own revision but a later call only beyond it', async () => {
    const cache = createPodCache();
    const waiting = track(cache.getNewerThan('a', 7));
    await settle();
    cache.updateTime(7);
    await settle();
    expect(waiting.settled).toBe(true);
    const later = track(cache.getNewerThan('a', 7));
    await settle();
    expect(later.settled).toBe(false);
  });

  it('accepts an inspection that found the pod unchanged', async () => {
    const cache = createPodCache();
    cache.set('a', named('v1'), undefined, 1);
    cache.setObservedTime('a', 9);
    expect((await cache.getNewerThan('a', 8)).name).toBe('v1');
  });

  it('keeps waiting when the pod is deleted, and resolves to an empty status after the next relist', async () => {
    const cache = createPodCache();
    cache.set('a', named('v1'), undefined, 1);
    const waiting = track(cache.getNewerThan('a', 1));
    cache.delete('a');
    await settle();
    expect(waiting.settled).toBe(false);
    cache.updateTime(2);
    await settle();
    expect(waiting.value).toEqual(emptyPodStatus('a'));
  });

  it('rejects with the stored error', async () => {
    const cache = createPodCache();
    const waiting = track(cache.getNewerThan('a', 1));
    const error = new Error('boom');
    cache.set('a', undefined, error, 2);
    await settle();
    expect(waiting.error).toBe(error);
    await expect(cache.getNewerThan('a', 1)).rejects.toBe(error);
  });

  it('rejects when the signal aborts, and does not affect other waiters', async () => {
    const cache = createPodCache();
    const controller = new AbortController();
    const cancelled = track(cache.getNewerThan('a', 1, controller.signal));
    const other = track(cache.getNewerThan('a', 1));
    await settle();
    controller.abort(new Error('stopped'));
    await settle();
    expect(cancelled.error).toEqual(new Error('stopped'));
    expect(other.settled).toBe(false);
    cache.updateTime(2);
    await settle();
    expect(other.settled).toBe(true);
    await expect(cache.getNewerThan('a', 0, controller.signal)).rejects.toThrow('stopped');
  });
});
