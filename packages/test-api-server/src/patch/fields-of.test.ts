import { describe, expect, it } from 'vitest';
import type { FieldSchema } from './field-schema.js';
import { fieldPaths } from './field-set.js';
import { appliedFields, changedFields } from './fields-of.js';

const schema: FieldSchema = {
  fields: {
    ports: { keys: ['port', 'protocol'], keyDefaults: { protocol: 'TCP' } },
    finalizers: { set: true },
    selector: { atomic: true },
  },
};

function changed(before: unknown, after: unknown) {
  const { set, removed } = changedFields(before, after, schema);
  return { set: fieldPaths(set), removed: fieldPaths(removed) };
}

describe('the changes of a write', () => {
  it.each<[string, unknown, unknown, string[], string[]]>([
    ['nothing', { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, [], []],
    ['a field that is new, with all within', {}, { a: { b: { c: 1 } } }, ['.a', '.a.b', '.a.b.c'], []],
    [
      'a removed field whose name is also in the prototype of objects',
      { labels: { constructor: 'x' } },
      { labels: {} },
      [],
      ['.labels.constructor'],
    ],
    ['a list without keys as a whole', { a: [1, 2] }, { a: [2, 1] }, ['.a'], []],
    ['nothing by the order of elements', { finalizers: ['x', 'y'] }, { finalizers: ['y', 'x'] }, [], []],
    [
      'elements by their keys',
      { ports: [{ port: 80 }, { port: 81 }] },
      {
        ports: [
          { port: 81, name: 'b' },
          { port: 80, protocol: 'UDP' },
        ],
      },
      [
        '.ports[port=80,protocol="UDP"]',
        '.ports[port=80,protocol="UDP"].port',
        '.ports[port=80,protocol="UDP"].protocol',
        '.ports[port=81,protocol="TCP"].name',
      ],
      ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'],
    ],
    ['what has one owner as a whole', { selector: { a: 1, b: 2 } }, { selector: { a: 1 } }, ['.selector'], []],
    ['a value of another kind', { a: { b: 1 } }, { a: [1] }, ['.a'], []],
  ])('%s', (_what, before, after, set, removed) => expect(changed(before, after)).toEqual({ set, removed }));
});

it('owns scalars, list elements and empty objects after an apply', () => {
  const applied = { a: { b: 1, empty: {} }, ports: [{ port: 80 }], selector: { a: 1 } };
  expect(fieldPaths(appliedFields(applied, schema))).toEqual([
    '.a.b',
    '.a.empty',
    '.ports[port=80,protocol="TCP"]',
    '.ports[port=80,protocol="TCP"].port',
    '.selector',
  ]);
});
