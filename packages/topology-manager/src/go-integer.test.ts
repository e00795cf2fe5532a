import { expect, it } from 'vitest';
import { parseGoInt } from './go-integer.js';

it('parses integers as Go does, and rejects other texts with its messages', () => {
  expect(['8', '+8', '-1'].map(parseGoInt)).toEqual([8, 8, -1]);
  expect(() => parseGoInt('8.5')).toThrow('strconv.Atoi: parsing "8.5": invalid syntax');
  expect(() => parseGoInt('99999999999999999999')).toThrow('strconv.Atoi: parsing "99999999999999999999": value out of range');
});
