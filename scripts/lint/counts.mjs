// counts.mjs: the counts that README.md and docs state about the repository must be those of the repository. It exists because such a number
// becomes wrong by a change elsewhere, and no reader notices it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutants } from '../../tests/mutants/mutants.ts';
import { readResults, recordedResults } from '../../tests/mutants/results.ts';
import { mutations } from '../../tests/simulation/mutations.ts';
import { root } from '../lib/pnpm.mjs';
import { reportProblems } from './source-files.mjs';

const mutantResults = readResults(recordedResults);

const read = (path) => readFileSync(join(root, path), 'utf8');
const filesIn = (folder, ending) => readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith(ending));
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

const recordedCases = () =>
  sum(filesIn('tests/vectors/recorded', '.jsonl').map((name) => read(`tests/vectors/recorded/${name}`).trimEnd().split('\n').length));
const thinning = (field) => () =>
  sum(Object.values(JSON.parse(read('tests/vectors/recorded/thinning.json')).subjects).map((subject) => subject[field] ?? 0));
const references = () => filesIn('tests/traces/reference', '.json').length;
const seedsOfTest = () => Number(/'--seeds', '1\.\.(\d+)'/.exec(read('scripts/test.mjs'))?.[1]);
const fuzzTargets = () => filesIn('tests/fuzz/targets', '.ts').length;
const fuzzCases = () => filesIn('tests/fuzz/cases', '.json').length;

/**
 * What the pages state: each pattern has one group for a number, or several whose sum counts. A new count on a page needs an entry here.
 */
export const claims = [
  { file: 'README.md', pattern: /recorded decisions: ([\d,]+) passed/, what: 'cases in tests/vectors/recorded', count: recordedCases },
  { file: 'README.md', pattern: /recorded pod lifecycles: ([\d,]+) passed/, what: 'traces in tests/traces/reference', count: references },
  {
    file: 'README.md',
    pattern: /simulation of faults: ([\d,]+) passed/,
    what: 'seeds of the simulation in scripts/test.mjs',
    count: seedsOfTest,
  },
  {
    file: 'docs/reliability.md',
    pattern: /`npm test` simulates ([\d,]+) seeds/,
    what: 'seeds of the simulation in scripts/test.mjs',
    count: seedsOfTest,
  },
  {
    file: 'docs/reliability.md',
    pattern: /these (\w+) deliberate breaks/,
    what: 'mutations in tests/simulation/mutations.ts',
    count: () => mutations.length,
  },
  {
    file: 'docs/reliability.md',
    pattern: /of ([\d,]+) mutants \(/,
    what: 'listed mutants with a result',
    count: () => mutants.filter(({ name }) => mutantResults[name] !== undefined).length,
  },
  { file: 'docs/reliability.md', pattern: /([\d,]+) targets and their/, what: 'targets in tests/fuzz/targets', count: fuzzTargets },
  { file: 'docs/reliability.md', pattern: /their ([\d,]+) kept cases/, what: 'cases in tests/fuzz/cases', count: fuzzCases },
  { file: 'tests/vectors/README.md', pattern: /The full set has ([\d,]+) cases/, what: 'cases in thinning.json', count: thinning('cases') },
  { file: 'tests/vectors/README.md', pattern: /; ([\d,]+) are kept/, what: 'cases in tests/vectors/recorded', count: recordedCases },
  {
    file: 'tests/vectors/README.md',
    pattern: /full set kills ([\d,]+) of/,
    what: 'killed mutants in thinning.json',
    count: thinning('killed'),
  },
  {
    file: 'tests/vectors/README.md',
    pattern: /kills [\d,]+ of ([\d,]+) mutants/,
    what: 'mutants in thinning.json',
    count: thinning('tried'),
  },
];

const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const numberOf = (text) => (words.includes(text) ? words.indexOf(text) : Number(text.replaceAll(',', '')));

/** Counts of the repository by their nouns; those that are not measured, of a time in the past or of an example, are not written in digits. */
const countOfRepository = /\b[\d,]*\d (?:packages|scenarios|mutants|targets|kept cases|recorded decisions|decision records|vectors)\b/g;

/** The problems of one page, as `path:line: text`: wrong counts, counts that the page no longer states, and counts that no claim checks. */
export function countProblems(path, text, claimsOfPage) {
  const lineAt = (index) => text.slice(0, index).split('\n').length;
  const checked = [];
  const problems = claimsOfPage.flatMap(({ pattern, what, count }) => {
    const match = pattern.exec(text);
    if (match === null)
      return [`${path}: states no number of ${what}: remove the claim from scripts/lint/counts.mjs, or state it as ${pattern}`];
    checked.push([match.index, match.index + match[0].length]);
    const [stated, real] = [sum(match.slice(1).map(numberOf)), count()];
    return stated === real ? [] : [`${path}:${lineAt(match.index)}: states ${stated} as the number of ${what}, of which there are ${real}`];
  });
  const unchecked = [...text.matchAll(countOfRepository)].filter(
    ({ index, 0: { length } }) => !checked.some(([start, end]) => index < end && start < index + length),
  );
  return [
    ...problems,
    ...unchecked.map(({ index, 0: found }) => `${path}:${lineAt(index)}: no claim of scripts/lint/counts.mjs checks "${found}"`),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const docs = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const pages = new Set(['README.md', ...docs, ...claims.map(({ file }) => file)]);
  reportProblems(
    'counts',
    [...pages].flatMap((page) =>
      countProblems(
        page,
        read(page),
        claims.filter(({ file }) => file === page),
      ),
    ),
  );
}
