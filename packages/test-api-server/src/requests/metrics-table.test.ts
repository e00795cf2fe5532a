import { expect, it } from 'vitest';
import { metricsPrinter } from './metrics-table.js';

it.each([
  ['a node', { usage: { cpu: '250m', memory: '1Mi' } }, ['250m', '1Mi']],
  [
    'a pod, as its containers',
    { containers: [{ usage: { cpu: '250m', memory: '1Mi' } }, { usage: { cpu: '1', memory: '1Gi' } }] },
    ['1250m', '1025Mi'],
  ],
])('shows the usage of %s', (_, usage, cells) => {
  expect(metricsPrinter.cells({ metadata: { name: 'a' }, window: '10s', ...usage }, 0)).toEqual(['a', ...cells, '10s']);
});
