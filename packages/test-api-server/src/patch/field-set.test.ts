import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeFields, differenceOf, encodeFields, equalSets, fieldPaths, intersectionOf, unionOf } from './field-set.js';

const fields = fc
  .letrec((tie) => ({
    node: fc.dictionary(fc.constantFrom('.', 'f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"'), fc.oneof(fc.constant({}), tie('node')), {
      maxKeys: 3,
    }),
  }))
  .node.map(decodeFields);

it('round-trips fieldsV1', () => {
  fc.assert(fc.property(fields, (set) => equalSets(decodeFields(JSON.parse(JSON.stringify(encodeFields(set)))), set)));
});

it('shares the form of equal branches', () => {
  const shared = decodeFields({ 'f:a': {}, 'f:b': {} });
  const withIP = (ip: string) => {
    const own = decodeFields({ 'f:ips': { [`k:{"ip":"${ip}"}`]: {} } });
    return encodeFields({ member: false, children: new Map([['f:conditions', shared], ...own.children]) });
  };
  const [first, second] = [withIP('10.0.0.1'), withIP('10.0.0.2')];
  expect(first['f:conditions']).toBe(second['f:conditions']);
  expect(first['f:ips']).not.toEqual(second['f:ips']);
});

it('follows the laws of sets', () => {
  fc.assert(
    fc.property(fields, fields, (a, b) => {
      expect(equalSets(unionOf(differenceOf(a, b), intersectionOf(a, b)), a)).toBe(true);
      expect(equalSets(unionOf(a, b), unionOf(b, a))).toBe(true);
      expect(fieldPaths(intersectionOf(a, b)).every((path) => fieldPaths(a).includes(path))).toBe(true);
    }),
  );
});

it('writes paths as the API server does', () => {
  const set = decodeFields({
    'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {} } }, 'f:tags': { 'v:"x"': {} } },
  });
  expect(fieldPaths(set)).toEqual(['.spec.ports[port=80,protocol="TCP"]', '.spec.ports[port=80,protocol="TCP"].name', '.spec.tags[="x"]']);
});
