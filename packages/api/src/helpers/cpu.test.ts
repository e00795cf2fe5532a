import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuWeightToShares, milliCpuToQuota, milliCpuToShares, quotaToMilliCpu, sharesToCpuWeight, sharesToMilliCpu } from './cpu.js';

it('gives shares from 2 to 262144', () => {
  expect([0, 1, 100, 1000, 256_001].map(milliCpuToShares)).toEqual([2, 2, 102, 1024, 262_144]);
  expect([0, 1, 2, 102, 1024].map(sharesToMilliCpu)).toEqual([0, 0, 2, 100, 1000]);
});

it('gives quotas of at least a millisecond', () => {
  expect(milliCpuToQuota(0)).toBe(0);
  expect(milliCpuToQuota(1)).toBe(1000);
  expect(milliCpuToQuota(1500, 50_000)).toBe(75_000);
  expect(quotaToMilliCpu(-1)).toBe(0);
  expect(quotaToMilliCpu(88_877)).toBe(888);
});

it('gives weights from 1 to 10000 and the way back', () => {
  expect([2, 1024, 262_144, 500_000].map(sharesToCpuWeight)).toEqual([1, 39, 10_000, 10_000]);
  expect(cpuWeightToShares(1)).toBe(2);
  expect(cpuWeightToShares(10_000)).toBe(262_144);
  fc.assert(fc.property(fc.integer({ min: 1, max: 10_000 }), (weight) => weight - sharesToCpuWeight(cpuWeightToShares(weight)) <= 1));
});

it('stays exact for large numbers', () => {
  expect(milliCpuToQuota(9_007_199_254_740_991, 1000)).toBe(9_007_199_254_740_991);
});

it('names the invalid argument', () => {
  expect(() => milliCpuToShares(Number.NaN)).toThrow('milliCpu must be an integer of at least 0, got NaN');
  expect(() => milliCpuToQuota(100, 0)).toThrow('periodMicroseconds must be an integer of at least 1, got 0');
  expect(() => cpuWeightToShares(0)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }));
  expect(() => cpuWeightToShares(10_001)).toThrow('weight must be at most 10000');
});
