import { expect, it } from 'vitest';
import { fieldRules, fieldsWith } from './field-rules.js';

it.each(fieldsWith('patch'))('the kubelet compares %s, which it writes', (field) => {
  expect(fieldRules[field].equal).toBeDefined();
});

it.each(fieldsWith('generate'))('the kubelet writes %s, which it generates', (field) => {
  expect(fieldRules[field].patch).toBeDefined();
});

it.each(fieldsWith('isOfOthers'))('the kubelet neither generates, compares nor writes %s of other components', (field) => {
  expect(Object.keys(fieldRules[field])).toEqual(['isOfOthers']);
});

it('generates every field that it writes, except the start time, which the manager keeps', () => {
  const generated = new Set(fieldsWith('generate'));
  expect(fieldsWith('patch').filter((field) => !generated.has(field))).toEqual(['startTime']);
});
