import { expect, it } from 'vitest';
import { field, renderColumns, renderFields } from './fields.js';

it('puts the values of neighbours into one column, and what is below further in', () => {
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

it('lets no control characters through', () => {
  expect(renderFields([{ key: 'Message', value: 'two\nlines \x1b[31mred' }])).toEqual(['Message:  two lines  [31mred']);
  expect(renderColumns(['A'], [['x\x07\ny']])).toEqual(['A', '-', 'x y']);
});

it('leaves out what is not known', () => {
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
