import { expect, it } from 'vitest';
import { equalJson } from './equal-json.js';

it.each([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [{ a: undefined }, { b: undefined }, false],
  [{}, { a: undefined }, false],
  [null, {}, false],
  ['1', 1, false],
])('compares %j and %j', (a, b, equal) => {
  expect(equalJson(a, b)).toBe(equal);
  expect(equalJson(b, a)).toBe(equal);
});
