import { expect, it } from 'vitest';
import { metricHead, metricLabels, metricValue } from './prometheus.js';

it('announces a metric, with line ends and backslashes of its help escaped', () => {
  expect(metricHead('jobs', 'counter', 'a\\b\nc')).toBe('# HELP jobs a\\\\b\\nc\n# TYPE jobs counter\n');
});

it('escapes the values of labels', () => {
  expect(metricLabels({ pod: 'web', message: '"a\\b"\n' })).toBe('pod="web",message="\\"a\\\\b\\"\\n"');
  expect(metricLabels({ b: '2', c: '3' }, ['a', 'b'])).toBe('a="",b="2"');
  expect(metricLabels({})).toBe('');
});

it.each([
  [1.5, '1.5'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [7n, '7'],
  [2n ** 64n, '18446744073709551616'],
])('formats %s', (value, text) => {
  expect(metricValue(value)).toBe(text);
});
