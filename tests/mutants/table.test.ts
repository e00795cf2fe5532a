import { expect, it } from 'vitest';
import { recordedRun } from '../support/reliability-runs.js';
import { mutantsOf } from './mutant.js';
import { mutants } from './mutants.js';
import { type Finder, readResults, recordedResults } from './results.js';
import { resultsTable } from './table.js';

const listed = [
  ...mutantsOf('eviction', ['wrong-rank', 'rank.ts', 'a', 'b'], ['wrong-grace', 'grace.ts', 'a', 'b', 'the grace is never used']),
  ...mutantsOf('api', ['wrong-time', 'time.ts', 'a', 'b']),
];
const result = (foundBy: Finder, date: string) => ({ foundBy, detail: '', date, commit: '0123abcd' });
const results = {
  'eviction/wrong-rank': result('vectors', '2026-01-31'),
  'eviction/wrong-grace': result('nothing', '2026-01-31'),
  'api/wrong-time': result('tests', '2026-01-30'),
};

it('counts the mutants of each package by what found them, and names the survivors', () => {
  expect(resultsTable(listed, results)).toBe(
    [
      '2 of 3 mutants (66.7 %) were found, on 2026-01-30 and 2026-01-31 at 0123abcd.',
      '',
      '| package | mutants | found by its tests | by vectors | survived |',
      '| --- | --: | --: | --: | --: |',
      '| api | 1 | 1 | 0 | 0 |',
      '| eviction | 2 | 0 | 1 | 1 |',
      '| **all** | 3 | 1 | 1 | 1 |',
      '',
      'Survivors:',
      '',
      '- `eviction/wrong-grace`: the grace is never used',
    ].join('\n'),
  );
});

it('counts the mutants without a result', () => {
  const { 'api/wrong-time': _, ...others } = results;
  expect(resultsTable(listed, others)).toContain('1 of 2 mutants');
  expect(resultsTable(listed, others)).toMatch(/\n\n1 listed mutants have no result yet\.$/);
});

it('is in docs/reliability-runs.md as recorded', () => {
  expect(recordedRun('mutants')).toBe(resultsTable(mutants, readResults(recordedResults)));
});

it('has no result of a mutant that is not listed', () => {
  const names = new Set(mutants.map(({ name }) => name));
  expect(Object.keys(readResults(recordedResults)).filter((name) => !names.has(name))).toEqual([]);
});
