import { expect, it } from 'vitest';
import { isNarrowerNodeSet, numaNodeSets } from './numa-node-sets.js';

it('lists sets of NUMA nodes by size, then by their nodes', () => {
  expect([...numaNodeSets([0, 2, 5])]).toEqual([[0], [2], [5], [0, 2], [0, 5], [2, 5], [0, 2, 5]]);
  expect([...numaNodeSets([])]).toEqual([]);
});

it('compares sets of one size as bit masks', () => {
  expect(isNarrowerNodeSet([3], [0, 1])).toBe(true);
  expect(isNarrowerNodeSet([1, 2], [0, 3])).toBe(true);
  expect(isNarrowerNodeSet([0, 3], [1, 2])).toBe(false);
  expect(isNarrowerNodeSet([0, 3], [0, 3])).toBe(false);
});
