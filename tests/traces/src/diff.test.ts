import { expect, it } from 'vitest';
import { diffLines } from './diff.js';

it.each<[string, string, string[]]>([
  ['abc', 'abc', []],
  ['abc', 'abd', ['- c', '+ d']],
  ['abc', 'bc', ['- a']],
  ['', 'ab', ['+ a', '+ b']],
  ['abcd', 'acbd', ['- b', '+ b']],
])('of %j and %j', (expected, found, diff) => {
  expect(diffLines([...expected], [...found])).toEqual(diff);
});
