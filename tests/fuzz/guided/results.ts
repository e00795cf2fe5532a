import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What one run with counters did. */
export interface CountedRun {
  inputs: number;
  cpuSeconds: number;
  /** Number of reached places of the code. */
  edges: number;
  /** When it ran, such as 2026-01-31. */
  date: string;
}

/** The last recorded runs of each target, by name: with random inputs only, and guided. */
export type Results = Readonly<Record<string, { random?: CountedRun; guided?: CountedRun }>>;

export const recordedResults = fileURLToPath(new URL('results.json', import.meta.url));

export function readResults(): Results {
  return JSON.parse(readFileSync(recordedResults, 'utf8'));
}

/** Replaces the target's previous run of that kind; the file remains sorted. */
export function recordResult(target: string, kind: 'random' | 'guided', run: CountedRun): void {
  const results = readResults();
  const changed = Object.entries({ ...results, [target]: { ...results[target], [kind]: run } }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(recordedResults, `${JSON.stringify(Object.fromEntries(changed), undefined, 2)}\n`);
}

/** The results as Markdown: a row for each target that both kinds of runs are recorded of. */
export function resultsTable(results: Results): string {
  const rows = Object.entries(results).flatMap(([target, { random, guided }]) =>
    random && guided ? [`| \`${target}\` | ${cells(random)} | ${cells(guided)} | ${gain(random.edges, guided.edges)} |`] : [],
  );
  return [
    '| target | random: inputs | CPU, s | edges | guided: inputs | CPU, s | edges | more edges |',
    '| --- | --: | --: | --: | --: | --: | --: | --: |',
    ...rows,
  ].join('\n');
}

const number = (value: number) => value.toLocaleString('en-US');

function cells({ inputs, cpuSeconds, edges }: CountedRun): string {
  return [inputs, Math.round(cpuSeconds), edges].map(number).join(' | ');
}

function gain(random: number, guided: number): string {
  return `${((100 * (guided - random)) / random).toFixed(1)} %`;
}
