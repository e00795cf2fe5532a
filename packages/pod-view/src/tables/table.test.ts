import { describe, expect, it } from 'vitest';
import { tableOf } from './table.js';

const now = Date.parse('2026-01-01T01:00:00Z');
const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' };

it('prints the columns of a built-in resource', () => {
  const { columnDefinitions, rows } = tableOf('configmaps', [{ metadata, data: { a: '1' } }], { now });
  expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
  expect(rows[0]?.cells).toEqual(['x', 1, '60m']);
});

describe('custom resources', () => {
  const columns = [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
    { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Tags', type: 'string', jsonPath: '.spec.tags' },
  ];

  it('prints the columns of the definition', () => {
    const object = {
      metadata,
      spec: { size: 3, tags: ['a'] },
      status: {
        conditions: [
          { type: 'Other', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      },
    };
    const table = tableOf('widgets.example.com', [object, { metadata: { name: 'y' } }], { now, columns });
    expect(table.rows.map(({ cells }) => cells)).toEqual([
      ['x', 'True', 3, '60m', '["a"]'],
      ['y', null, null, null, null],
    ]);
    expect(table.columnDefinitions.map(({ name, priority }) => `${name} ${priority}`)).toEqual([
      'Name 0',
      'Ready 0',
      'Size 1',
      'Since 0',
      'Tags 0',
    ]);
  });

  it.each<[type: string, value: unknown, cell: unknown]>([
    ['string', 'text', 'text'],
    ['string', '', ''],
    ['string', 5, '5'],
    ['string', true, 'true'],
    ['string', 1234567.5, '1.2345675e+06'],
    ['string', 0.00001, '1e-05'],
    ['string', 0.5, '0.5'],
    ['string', { b: 1, a: { d: '<&>', c: [] } }, '{"a":{"c":[],"d":"\\u003c\\u0026\\u003e"},"b":1}'],
    ['integer', 3.9, 3],
    ['integer', '3', null],
    ['number', 1.5, 1.5],
    ['number', '1.5', null],
    ['boolean', false, false],
    ['boolean', 'false', null],
    ['date', '2026-01-01T00:00:00Z', '60m'],
    ['date', '2026-01-01T02:00:00.5+02:00', '59m'],
    ['date', '2026-01-01', '<invalid>'],
    ['date', 'yesterday', '<invalid>'],
    ['date', '', '<unknown>'],
    ['date', '0001-01-01T00:00:00Z', '<unknown>'],
    ['date', 1767225600, null],
    ['string', null, null],
  ])('prints a column of type %s with the value %j as %j', (type, value, cell) => {
    const columns = [{ name: 'Value', type, jsonPath: '.spec.value' }];
    const { rows } = tableOf('widgets.example.com', [{ metadata, spec: { value } }], { now, columns });
    expect(rows[0]?.cells).toEqual(['x', cell]);
  });

  it('prints the first value of several', () => {
    const columns = [{ name: 'Value', type: 'string', jsonPath: '.spec.values[*]' }];
    const { rows } = tableOf('widgets.example.com', [{ metadata, spec: { values: ['a', 'b'] } }], { now, columns });
    expect(rows[0]?.cells).toEqual(['x', 'a']);
  });

  it('prints the age if the definition has no columns', () => {
    expect(tableOf('widgets.example.com', [{ metadata }], { now, columns: [] }).rows[0]?.cells).toEqual(['x', '60m']);
  });
});

it('includes the requested part of the object in each row', () => {
  const object = { metadata, data: {} };
  const rowOf = (includeObject?: 'Metadata' | 'Object' | 'None') =>
    tableOf('configmaps', [object], { now, ...(includeObject && { includeObject }) }).rows[0];
  expect(rowOf()?.object).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
  expect(rowOf('Object')?.object).toBe(object);
  expect(rowOf('None')).not.toHaveProperty('object');
});
