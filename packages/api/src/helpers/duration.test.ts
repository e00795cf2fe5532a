import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.js';

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

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['1.5h', 5_400_000],
    ['-1h30m', -5_400_000],
    ['+2m.5s', 120_500],
    ['1.s', 1000],
    ['300ms', 300],
    ['5us', 0.005],
    ['5µs', 0.005],
    ['1000000ns', 1],
  ])('reads %s as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 9);
  });

  it.each(['', '5', 's', '.s', '1d', '1h 2m', '1.2.3s', '--1s', 'ten'])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
