import { expect, it } from 'vitest';
import { occurrences } from '../support/source-copy.js';
import { breaks } from './breaks.js';
import { invariants } from './invariants.js';

it.each(breaks)('$name: its line occurs once in the source, and its invariants exist', (each) => {
  expect(occurrences(each)).toBe(1);
  expect(each.replace).not.toBe(each.find);
  expect(Object.keys(invariants)).toEqual(expect.arrayContaining([...each.foundBy]));
});
