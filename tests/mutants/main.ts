import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { errorMessage } from '@nodeagent/api';
import { recordRun } from '../support/reliability-runs.js';
import { copySources, removeCopy } from '../support/source-copy.js';
import { findMutant } from './find-mutant.js';
import type { Mutant } from './mutant.js';
import { mutants } from './mutants.js';
import { readResults, recordedResults, recordResult } from './results.js';
import { resultsTable } from './table.js';

const usage = `mutants [--only TEXT] [--rest] [--survivors] [--results FILE] [--list | --table]

Changes one line of the source at a time, in a copy, and runs the tests of its package, then the committed vectors. A test must fail.

  --only       only mutants whose name contains the text: volume-manager/, kube-client/back-off
  --rest       only mutants without a result in the file
  --survivors  only mutants that no test found at the last run
  --results    the file in which each result is recorded (default: tests/mutants/results.json)
  --list       prints the mutants without running them
  --table      prints the recorded results without running a mutant, as Markdown

Exits with 1 if a mutant survives without a reason in the list, or has no result because its tests also fail without it.
`;

const top = fileURLToPath(new URL('../..', import.meta.url));

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      rest: { type: 'boolean', default: false },
      survivors: { type: 'boolean', default: false },
      results: { type: 'string', default: recordedResults },
      list: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const results = readResults(values.results);
  const chosen = mutants
    .filter(({ name }) => name.includes(values.only))
    .filter(({ name }) => !(values.rest && name in results))
    .filter(({ name }) => !values.survivors || results[name]?.foundBy === 'nothing');
  if (values.help) process.stdout.write(usage);
  else if (chosen.length === 0) throw new Error('no mutant is chosen');
  else if (values.list)
    for (const { name, find, replace } of chosen) console.log(`${name}: ${find.trim()} -> ${replace.trim() || 'nothing'}`);
  else if (values.table) console.log(resultsTable(chosen, results));
  else process.exitCode = await runAll(chosen, values.results);
} catch (error) {
  console.error(`mutants: ${errorMessage(error)}\n\n${usage}`);
  process.exitCode = 2;
}

/** Resolves to the exit code. */
async function runAll(chosen: readonly Mutant[], file: string): Promise<0 | 1> {
  const facts = { date: new Date().toISOString().slice(0, 10), commit: committedSources() };
  const copy = copySources();
  // An interrupted run removes its copy, too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  process.once('exit', () => removeCopy(copy));
  let found = 0;
  let unexplained = 0;
  for (const [index, mutant] of chosen.entries()) {
    const began = performance.now();
    let verdict: string;
    try {
      const { foundBy, detail } = await findMutant(copy, mutant);
      recordResult(file, mutant.name, { foundBy, detail, ...facts });
      if (foundBy !== 'nothing') found += 1;
      else if (mutant.survives === undefined) unexplained += 1;
      verdict =
        foundBy === 'nothing'
          ? `SURVIVED: ${mutant.survives ?? 'no reason is known'}`
          : ['found by', foundBy, detail && `(${detail})`].filter(Boolean).join(' ');
    } catch (error) {
      unexplained += 1;
      verdict = `NO RESULT: ${errorMessage(error)}`;
    }
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    console.log(`${index + 1}/${chosen.length}: ${mutant.name}: ${verdict} (${seconds} s)`);
  }
  if (file === recordedResults) recordRun('mutants', resultsTable(mutants, readResults(file)));
  console.log(`${found} of ${chosen.length} mutants found, ${((100 * found) / chosen.length).toFixed(1)} %`);
  return unexplained > 0 ? 1 : 0;
}

/** The commit of the sources. Throws if the packages differ from it: a result names the commit that it is valid for. */
function committedSources(): string {
  if (git('status', '--porcelain', '--', 'packages') !== '') throw new Error('packages/ has changes: commit them first');
  return git('rev-parse', '--short=8', 'HEAD');
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: top, encoding: 'utf8' }).trim();
}
