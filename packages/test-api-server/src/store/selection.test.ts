import { describe, expect, it } from 'vitest';
import { labelMatcher, parseLabelSelector } from './label-selector.js';
import { parseFieldSelector } from './selection.js';

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

  it('compares numbers', () => {
    const takes = (text: string) => labelMatcher(text)({ a: '5', b: 'x' });
    expect(['a>4', 'a<6,a', 'a > 5', 'a<5', 'b>1', 'c<1'].map(takes)).toEqual([true, true, false, false, false, false]);
    expect([takes('a in ()'), takes('c notin ()'), takes('notin'), takes('b in (,x)')]).toEqual([false, true, false, true]);
  });

  it.each([
    ['a==b==c', "found '==', expected: ',' or 'end of string'"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['!!a', "unable to parse requirement: found '!', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a>b', "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer"],
    ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    [`a=${'x'.repeat(64)}`, `unable to parse requirement: values[0][a]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`],
    [
      'a=-b',
      "unable to parse requirement: values[0][a]: Invalid value: \"-b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ])('refuses the label selector %j in the words of a cluster', (text, message) => expect(() => labelMatcher(text)).toThrow(message));

  it.each([
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
  ])('refuses the field selector %j', (text, message) => expect(() => parseFieldSelector(text)).toThrow(message));

  it('parses field selectors with escapes', () => {
    expect(parseFieldSelector('metadata.name=web,status.phase!=Running')).toEqual([
      { field: 'metadata.name', value: 'web', equal: true },
      { field: 'status.phase', value: 'Running', equal: false },
    ]);
    expect(parseFieldSelector('a=b\\,c\\=d')).toEqual([{ field: 'a', value: 'b,c=d', equal: true }]);
    expect(() => parseFieldSelector('web')).toThrow("can't understand 'web'");
  });
});
