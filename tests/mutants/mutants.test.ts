import { expect, it } from 'vitest';
import { occurrences } from '../support/source-copy.js';
import { mutants } from './mutants.js';

it('has at least 60 mutants with different names', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(60);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});

it.each(mutants)('$name: its line occurs once in the source', (mutant) => {
  expect(occurrences(mutant)).toBe(1);
  expect(mutant.replace).not.toBe(mutant.find);
});
