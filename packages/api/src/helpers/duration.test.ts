import { describe, expect, it } from 'vitest';
import { formatDuration } from './duration.js';

describe('formatDuration', () => {
  it.each([
    [-5, '0s'],
    [0, '0s'],
    [0.9, '0s'],
    [7, '7ms'],
    [1000, '1s'],
    [1250.7, '1.25s'],
    [1500, '1.5s'],
    [59_999, '59.999s'],
    [60_000, '1m0s'],
    [200_000, '3m20s'],
    [3_600_000, '1h0m0s'],
    [3_723_004, '1h2m3.004s'],
  ])('prints %d as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
