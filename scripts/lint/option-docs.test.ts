import { expect, it } from 'vitest';
import { optionDocProblems } from './option-docs.mjs';

const option = { path: 'settings.periodMs', isGroup: false, isOptional: true, text: 'Milliseconds.', place: 'a.ts:1' };
const problems = (changes: Partial<typeof option>) => optionDocProblems([{ name: 'createA', options: [{ ...option, ...changes }] }]);

it('reports an optional option without a default, and a required one with a default', () => {
  expect(problems({})).toEqual(['a.ts:1: "periodMs" of createA is optional: state its default']);
  expect(problems({ isOptional: false, text: 'Milliseconds. Default 10.' })).toEqual([
    'a.ts:1: "periodMs" of createA is required, but its docstring states a default',
  ]);
});

it.each([
  { text: 'Milliseconds. Default 10.' },
  { text: 'Absent: the option is off.' },
  { text: '' },
  { isOptional: false },
  { isGroup: true },
  { path: 'logger' },
  { path: 'onError' },
])('accepts %j', (changes) => {
  expect(problems(changes)).toEqual([]);
});
