import { expect, it } from 'vitest';
import { milliCpuToQuota, milliCpuToShares } from './cpu.js';

it('gives shares from 2 to 262144', () => {
  expect([0, 1, 100, 1000, 256_001].map(milliCpuToShares)).toEqual([2, 2, 102, 1024, 262_144]);
});

it('gives quotas of at least a millisecond', () => {
  expect(milliCpuToQuota(0)).toBe(0);
  expect(milliCpuToQuota(1)).toBe(1000);
  expect(milliCpuToQuota(1500, 50_000)).toBe(75_000);
});

it('stays exact for large numbers', () => {
  expect(milliCpuToQuota(9_007_199_254_740_991, 1000)).toBe(9_007_199_254_740_991);
});

it('names the invalid argument', () => {
  expect(() => milliCpuToShares(Number.NaN)).toThrow('milliCpu must be an integer of at least 0, got NaN');
  expect(() => milliCpuToQuota(100, 0)).toThrow('periodMicroseconds must be an integer of at least 1, got 0');
});
