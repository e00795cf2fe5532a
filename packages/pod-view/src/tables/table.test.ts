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
