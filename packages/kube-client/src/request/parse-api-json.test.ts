import { expect, it } from 'vitest';
import { parseApiJson } from './parse-api-json.js';

it.each([
  ['a field', '{"spec":{"drivers":null,"x":1}}', { spec: { x: 1 } }],
  ['a field before others, with blanks', '{ "a" : null , "b" : [ ] }', { b: [] }],
  ['every field', '{"metadata":{"labels":null,"annotations":null}}', { metadata: {} }],
  [
    'fields of elements of lists',
    '{"conditions":[{"type":"Ready","lastProbeTime":null},{"type":"Other"}]}',
    { conditions: [{ type: 'Ready' }, { type: 'Other' }] },
  ],
  ['fields below fields that are dropped with them', '{"a":{"b":{"c":null,"d":[[{"e":null}]]},"f":null}}', { a: { b: { d: [[{}]] } } }],
])('leaves out %s that is null', (_, text, value) => {
  // A field with the value undefined would affect comparisons and patches.
  expect(parseApiJson(text)).toStrictEqual(value);
});

it.each([
  ['null elements of lists', '[null,[null],{"a":[1,null]}]'],
  ['null as a text or in one', '{"null":"null","path":"/dev/null","json":"{\\"a\\":null}"}'],
  ['what has no null', '{"a":{},"b":[],"c":"","d":0,"e":false}'],
  ['null alone', 'null'],
])('keeps %s', (_, text) => {
  expect(parseApiJson(text)).toStrictEqual(JSON.parse(text));
});

it('sets no prototype from a field', () => {
  const value = parseApiJson('{"data":{"__proto__":{"polluted":true},"a":null}}') as { data: Record<string, unknown> };
  expect(Object.getPrototypeOf(value.data)).toBe(Object.prototype);
  expect(Object.keys(value.data)).toEqual(['__proto__']);
});

it('rejects invalid JSON', () => {
  expect(() => parseApiJson('{"a":null')).toThrow(SyntaxError);
});
