import { expect, it } from 'vitest';
import { field, renderColumns, renderFields } from './fields.js';

it('aligns values of neighbouring fields, and indents nested fields', () => {
  const lines = renderFields([
    { key: 'Name', value: 'web' },
    { key: 'Start Time', value: 'now', fields: [{ key: 'Zone', value: 'UTC' }] },
    { key: 'Containers', fields: [{ key: 'main', fields: [{ key: 'Image', value: 'host' }] }] },
    { key: 'Events', lines: ['a', 'b'] },
  ]);
  expect(lines).toEqual([
    'Name:        web',
    'Start Time:  now',
    '  Zone:  UTC',
    'Containers:',
    '  main:',
    '    Image:  host',
    'Events:',
    '  a',
    '  b',
  ]);
});

it('removes control characters', () => {
  expect(renderFields([{ key: 'Message', value: 'two\nlines \x1b[31mred' }])).toEqual(['Message:  two lines  [31mred']);
  expect(renderColumns(['A'], [['x\x07\ny']])).toEqual(['A', '-', 'x y']);
});

it('omits unknown values', () => {
  expect([...field('IP', undefined), ...field('Reason', ''), ...field('Phase', 'Running')]).toEqual([{ key: 'Phase', value: 'Running' }]);
});

it('makes columns as wide as their cells', () => {
  expect(
    renderColumns(
      ['Type', 'Status'],
      [
        ['Ready', 'True'],
        ['PodScheduled', 'False'],
      ],
    ),
  ).toEqual(['Type          Status', '----          ------', 'Ready         True', 'PodScheduled  False']);
});
