import { expect, it } from 'vitest';
import { formatIndexes, parseIndexes } from './index-set.js';

it.each([
  ['', []],
  ['0', [0]],
  ['0,2-4', [0, 2, 3, 4]],
  ['1,2,5-7', [1, 2, 5, 6, 7]],
])('reads and writes "%s"', (text, indexes) => {
  expect([...parseIndexes(text, 10)]).toEqual(indexes);
  expect(formatIndexes(indexes.toReversed())).toBe(text);
});

it('skips parts that are no indexes, and those beyond the end', () => {
  expect([...parseIndexes('x,3-,2-9', 4)]).toEqual([2, 3]);
});
