import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBackoff } from './backoff.js';

it('doubles from 10 s to 300 s with each failure, and starts at 10 s again after 600 s without one', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 900_000 }), { maxLength: 30 });
  fc.assert(
    fc.property(gaps, (list) => {
      const backOff = createBackoff();
      let now = 0;
      let delay = 0;
      let last = Number.NEGATIVE_INFINITY;
      for (const gap of list) {
        now += gap;
        delay = delay === 0 || now - last > 600_000 ? 10_000 : Math.min(2 * delay, 300_000);
        backOff.next('k', now, now);
        last = now;
        expect(backOff.get('k')).toBe(delay);
        expect(backOff.endsAt('k', now)).toBe(now + delay);
        expect(backOff.isInBackoffSinceUpdate('k', now + delay - 1)).toBe(true);
        expect(backOff.isInBackoffSinceUpdate('k', now + delay)).toBe(false);
        expect(backOff.endsAt('k', now + delay)).toBeUndefined();
      }
    }),
  );
});

it('keeps the delay of each key until the key expires or is reset', () => {
  const backOff = createBackoff({ initialMs: 1000, maxMs: 4000 });
  backOff.next('a', 0, 0);
  backOff.next('b', 0, 0);
  backOff.reset('b');
  expect([backOff.get('a'), backOff.get('b'), backOff.get('c')]).toEqual([1000, 0, 0]);
  expect(backOff.isInBackoffSince('a', 500, 1400)).toBe(true);
  expect(backOff.isInBackoffSince('a', 500, 1500)).toBe(false);
  backOff.collect(8000);
  expect(backOff.get('a')).toBe(1000);
  backOff.collect(8001);
  expect(backOff.get('a')).toBe(0);
});

it('limits the first delay too', () => {
  const backOff = createBackoff({ initialMs: 10_000, maxMs: 2000 });
  backOff.next('a', 0, 0);
  expect(backOff.get('a')).toBe(2000);
});

it.each([{ initialMs: 0 }, { maxMs: Number.NaN }, { expiryMs: -1 }])('rejects %o', (options) => {
  expect(() => createBackoff(options)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }));
});
