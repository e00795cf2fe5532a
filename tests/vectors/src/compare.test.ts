import { describe, expect, it } from 'vitest';
import type { CompareOptions } from './adapter.js';
import { differences, requiredMasks } from './compare.js';
import type { Mask } from './mask.js';

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

  it('can treat the empty map of a key as a value', () => {
    expect(paths({ waiting: {} }, {}, { emptyMaps: ['waiting'] })).toEqual(['$.waiting']);
    expect(paths({ waiting: {} }, { waiting: {} }, { emptyMaps: ['waiting'] })).toEqual([]);
  });

  it('compares what the masks leave', () => {
    expect(differences([1, 2], [2, 1], { sort: true }, { masks: [order] })).toEqual([]);
    expect(differences([1, 2], [2, 1], { sort: false }, { masks: [order] })).toHaveLength(2);
  });
});

describe('requiredMasks', () => {
  const required = (expected: unknown, actual: unknown, masks: Mask[]) => requiredMasks(expected, actual, { sort: true }, { masks });

  it('names the masks without which the outputs differ', () => {
    expect(required([1, 2], [2, 1], [order, sign])).toEqual([order]);
    expect(required([1, 2], [-2, 1], [sign, order])).toEqual([sign, order]);
    expect(required([1, 2], [1, 2], [sign, order])).toEqual([]);
  });
});

const order: Mask = {
  name: 'order',
  reason: 'free',
  hide: ({ expected, actual, input }) => (input.sort ? { expected: expected.toSorted(), actual: actual.toSorted() } : {}),
};
const sign: Mask = { name: 'sign', reason: 'free', hide: ({ actual }) => ({ actual: actual.map(Math.abs) }) };
