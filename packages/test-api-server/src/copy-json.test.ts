import { expect, it } from 'vitest';
import { copyJson } from './copy-json.js';

it('copies like structuredClone', () => {
  const value = { a: [1, 'x', null, { b: true }], c: { d: {}, e: [] }, f: undefined };
  const copy = copyJson(value);
  expect(copy).toEqual(structuredClone(value));
  expect(Object.hasOwn(copy, 'f')).toBe(true);
  copy.c.e.push(1 as never);
  expect(value.c.e).toEqual([]);
});
