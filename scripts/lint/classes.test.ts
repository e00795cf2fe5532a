import { expect, it } from 'vitest';
import { classProblems } from './classes.mjs';

const files = [
  { path: 'packages/a/src/a.ts', text: 'export class Known {}\nconst other = class {};' },
  { path: 'packages/testing/src/b.ts', text: '// a class\nclass Any {}' },
];

it('names classes without a reason, and reasons without a class', () => {
  const allowed = { 'packages/a/src/a.ts Known': 'a value', 'packages/a/src/a.ts Removed': 'a value', 'packages/testing/': 'later' };
  expect(classProblems(files, allowed)).toEqual([
    'packages/a/src/a.ts:2: class (anonymous): write a factory that returns a closure, or give a reason in the table',
    'packages/a/src/a.ts Removed: there is no such class',
  ]);
});
