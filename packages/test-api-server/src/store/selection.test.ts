import { describe, expect, it } from 'vitest';
import { parseFieldSelector, parseLabelSelector } from './selection.js';

describe('selectors of a query', () => {
  it.each([
    ['', { matchLabels: {}, matchExpressions: [] }],
    ['a=b,c==d', { matchLabels: { a: 'b', c: 'd' }, matchExpressions: [] }],
    ['a!=b', { matchLabels: {}, matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] }],
    [
      'a in (b, c), !d ,e',
      {
        matchLabels: {},
        matchExpressions: [
          { key: 'a', operator: 'In', values: ['b', 'c'] },
          { key: 'd', operator: 'DoesNotExist' },
          { key: 'e', operator: 'Exists' },
        ],
      },
    ],
    ['example.com/x notin (y)', { matchLabels: {}, matchExpressions: [{ key: 'example.com/x', operator: 'NotIn', values: ['y'] }] }],
    ['a=', { matchLabels: { a: '' }, matchExpressions: [] }],
  ])('reads the label selector %j', (text, selector) => expect(parseLabelSelector(text)).toEqual(selector));

  it.each(['a=b=c', 'a in b', '=x', 'a,,b', 'a in (b', 'a/b/c in (d)'])('rejects the label selector %j', (text) =>
    expect(() => parseLabelSelector(text)).toThrow(),
  );

  it('parses field selectors with escapes', () => {
    expect(parseFieldSelector('metadata.name=web,status.phase!=Running')).toEqual([
      { field: 'metadata.name', value: 'web', equal: true },
      { field: 'status.phase', value: 'Running', equal: false },
    ]);
    expect(parseFieldSelector('a=b\\,c\\=d')).toEqual([{ field: 'a', value: 'b,c=d', equal: true }]);
    expect(() => parseFieldSelector('web')).toThrow("can't understand 'web'");
  });
});
