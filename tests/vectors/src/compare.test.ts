import { describe, expect, it } from 'vitest';
import type { CompareOptions } from './adapter.js';
import { differences } from './compare.js';

const paths = (expected: unknown, actual: unknown, options: CompareOptions = {}) =>
  differences(expected, actual, undefined, options).map(({ path }) => path);

describe('differences', () => {
  it('finds none in outputs that differ only in the order of keys', () => {
    expect(paths({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toEqual([]);
  });

  it('names each place', () => {
    expect(paths({ a: 1, b: { c: [1, 2] }, d: 0 }, { a: '1', b: { c: [1, 3] }, e: 0 })).toEqual(['$.a', '$.b.c[1]', '$.d', '$.e']);
    expect(paths([1], [1, 2])).toEqual(['$[1]', '$.length']);
    expect(paths({ a: {} }, { a: 'text' })).toEqual(['$.a']);
    expect(paths(1, undefined)).toEqual(['$']);
  });

  it('treats null and empty collections as absent, but not zero values', () => {
    expect(paths({ a: null, b: [], c: {} }, {})).toEqual([]);
    expect(paths({ a: 0, b: '', c: false }, {})).toEqual(['$.a', '$.b', '$.c']);
    expect(paths({ a: null, b: [] }, {}, { nullIsAbsent: false })).toEqual(['$.a', '$.b']);
    expect(paths({ a: 0, b: '', c: false, d: [], e: null }, {}, { emptyIsAbsent: true })).toEqual([]);
    expect(paths({ a: 0 }, { a: '' }, { emptyIsAbsent: true })).toEqual([]);
    expect(paths({ a: 1 }, {}, { emptyIsAbsent: true })).toEqual(['$.a']);
  });

  it('writes large integers as text and drops what JSON drops', () => {
    expect(paths({ a: '9007199254740993' }, { a: 9007199254740993n, b: undefined })).toEqual([]);
  });

  it('compares with the allowed outcome that matches the answer', () => {
    const choose = ({ allowed }: { allowed: number[] }, actual: number) => (allowed.includes(actual) ? actual : allowed[0]);
    expect(paths({ allowed: [1, 2] }, 2, { choose })).toEqual([]);
    expect(paths({ allowed: [1, 2] }, 3, { choose })).toEqual(['$']);
  });

  it('normalizes both sides with the input', () => {
    const normalize = (output: number[], input: { sort: boolean }) => (input.sort ? [...output].sort() : output);
    expect(differences([1, 2], [2, 1], { sort: true }, { normalize })).toEqual([]);
    expect(differences([1, 2], [2, 1], { sort: false }, { normalize })).toHaveLength(2);
  });
});
