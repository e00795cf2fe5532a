import { expect, test } from 'vitest';
import { findById } from './find-by-id.js';

const values = new Map([
  ['abc', 1],
  ['abcd', 2],
  ['b', 3],
]);

test.each<[string, number | undefined, string]>([
  ['abc', 1, 'an exact ID, although another one begins with it'],
  ['abcd', 2, 'an exact ID'],
  ['ab', undefined, 'the beginning of two'],
  ['b', 3, 'an exact ID'],
  ['abd', undefined, 'of none'],
  ['', undefined, 'an empty one'],
])('finds %j as %j: %s', (id, expected) => {
  expect(findById(values, id)).toBe(expected);
});
