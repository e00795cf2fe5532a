import { describe, expect, it } from 'vitest';
import { toInt64 } from './int64-input.js';

describe('toInt64', () => {
  it('accepts numbers and bigints', () => {
    expect([2 ** 40, -1, 0.9, 5n].map((value) => toInt64('size', value))).toEqual([1n << 40n, -1n, 0n, 5n]);
  });

  it('names the value that is no integer', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '12', null]) {
      expect(() => toInt64('size', value as number)).toThrow(
        expect.objectContaining({
          code: 'InvalidOption',
          details: { field: 'size' },
          message: expect.stringMatching(/^size must be a finite/),
        }),
      );
    }
  });
});
