import type { Mutant } from './mutant.js';
import type { Result, Results } from './results.js';

/** The results as Markdown: a row for each package, a sum, the reason for each survivor, and the number of mutants without a result. */
export function resultsTable(mutants: readonly Mutant[], results: Results): string {
  const runs = mutants.flatMap((mutant) => {
    const result = results[mutant.name];
    return result === undefined ? [] : [{ mutant, result }];
  });
  const missing = mutants.length - runs.length;
  const packages = [...new Set(runs.map(({ mutant }) => mutant.packageName))].sort();
  const row = (title: string, of: typeof runs) =>
    `| ${[title, of.length, count(of, 'tests'), count(of, 'vectors'), count(of, 'nothing')].join(' | ')} |`;
  const found = runs.length - count(runs, 'nothing');
  const dates = distinct(runs.map(({ result }) => result.date));
  const commits = distinct(runs.map(({ result }) => result.commit));
  return [
    `${found} of ${runs.length} mutants (${((100 * found) / runs.length).toFixed(1)} %) were found, on ${dates.join(' and ')} at ${commits.join(', ')}.`,
    '',
    '| package | mutants | found by its tests | by vectors | survived |',
    '| --- | --: | --: | --: | --: |',
    ...packages.map((name) =>
      row(
        name,
        runs.filter(({ mutant }) => mutant.packageName === name),
      ),
    ),
    row('**all**', runs),
    '',
    ...survivors(runs),
    ...(missing > 0 ? ['', `${missing} listed mutants have no result yet.`] : []),
  ].join('\n');
}

type Run = { mutant: Mutant; result: Result };

function count(runs: readonly Run[], foundBy: Result['foundBy']): number {
  return runs.filter(({ result }) => result.foundBy === foundBy).length;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

function survivors(runs: readonly Run[]): string[] {
  const survived = runs.filter(({ result }) => result.foundBy === 'nothing');
  if (survived.length === 0) return ['No mutant survived.'];
  return ['Survivors:', '', ...survived.map(({ mutant }) => `- \`${mutant.name}\`: ${mutant.survives ?? 'no reason is known'}`)];
}
