import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuWeightToShares, sharesToCpuWeight } from './cpu-weight.js';

it('gives weights from 1 to 10000 and the way back', () => {
  expect([2, 1024, 262_144, 500_000].map(sharesToCpuWeight)).toEqual([1, 39, 10_000, 10_000]);
  expect(cpuWeightToShares(1)).toBe(2);
  expect(cpuWeightToShares(10_000)).toBe(262_144);
  fc.assert(fc.property(fc.integer({ min: 1, max: 10_000 }), (weight) => weight - sharesToCpuWeight(cpuWeightToShares(weight)) <= 1));
});

it('divides whole numbers', () => {
  const weightOf = (shares: number) => 1n + ((BigInt(shares) - 2n) * 9999n) / 262_142n;
  fc.assert(fc.property(fc.integer({ min: 2, max: 262_143 }), (shares) => BigInt(sharesToCpuWeight(shares)) === weightOf(shares)));
});

it('names the invalid argument', () => {
  expect(() => cpuWeightToShares(0)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }));
  expect(() => cpuWeightToShares(10_001)).toThrow('weight must be at most 10000');
});
