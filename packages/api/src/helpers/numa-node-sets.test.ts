import { expect, it } from 'vitest';
import { numaNodeSets } from './numa-node-sets.js';

it('lists sets of NUMA nodes by size, then by their nodes', () => {
  expect([...numaNodeSets([0, 2, 5])]).toEqual([[0], [2], [5], [0, 2], [0, 5], [2, 5], [0, 2, 5]]);
  expect([...numaNodeSets([])]).toEqual([]);
});
