import { expect, it } from 'vitest';
import { isNarrowerNodeSet } from './narrower-node-set.js';

it('compares sets of one size as bit masks', () => {
  expect(isNarrowerNodeSet([3], [0, 1])).toBe(true);
  expect(isNarrowerNodeSet([1, 2], [0, 3])).toBe(true);
  expect(isNarrowerNodeSet([0, 3], [1, 2])).toBe(false);
  expect(isNarrowerNodeSet([0, 3], [0, 3])).toBe(false);
});
