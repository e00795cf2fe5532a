import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Mutant } from './mutant.js';
import { mutants } from './mutants.js';
import { createMutatedCopy } from './mutated-copy.js';
import { readResults, recordedResults, recordResult } from './results.js';
import { resultsTable } from './table.js';

const usage = `mutants [--only TEXT] [--rest] [--results FILE] [--list | --table]

Changes one line of the source at a time, in a copy, and runs the tests of its package, then the committed vectors. A test must fail.

  --only     only mutants whose name contains the text: volume-manager/, kube-client/back-off
  --rest     only mutants without a result in the file
  --results  the file in which each result is recorded (default: tests/mutants/results.json)
  --list     prints the mutants without running them
  --table    prints the recorded results without running a mutant, as Markdown

Exits with 1 if a mutant survives without a reason in the list.
`;

const top = fileURLToPath(new URL('../..', import.meta.url));

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      rest: { type: 'boolean', default: false },
      results: { type: 'string', default: recordedResults },
      list: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const results = readResults(values.results);
  const chosen = mutants.filter(({ name }) => name.includes(values.only) && !(values.rest && name in results));
  if (values.help) process.stdout.write(usage);
  else if (chosen.length === 0) throw new Error('no mutant is chosen');
  else if (values.list)
    for (const { name, find, replace } of chosen) console.log(`${name}: ${find.trim()} -> ${replace.trim() || 'nothing'}`);
  else if (values.table) console.log(resultsTable(chosen, results));
  else process.exitCode = await runAll(chosen, values.results);
} catch (error) {
  console.error(`mutants: ${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
}

/** Resolves to the exit code. */
async function runAll(chosen: readonly Mutant[], file: string): Promise<0 | 1> {
  const facts = { date: new Date().toISOString().slice(0, 10), commit: git('rev-parse', '--short=8', 'HEAD') };
  const copy = createMutatedCopy(top);
  // An interrupted run removes its copy, too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  process.once('exit', () => copy.remove());
  let found = 0;
  let unexplained = 0;
  for (const [index, mutant] of chosen.entries()) {
    const began = performance.now();
    const { foundBy, detail } = await copy.finderOf(mutant);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    recordResult(file, mutant.name, { foundBy, detail, ...facts });
    if (foundBy !== 'nothing') found += 1;
    else if (mutant.survives === undefined) unexplained += 1;
    const verdict = foundBy === 'nothing' ? 'SURVIVED' : `found by ${foundBy}`;
    console.log(
      `${[`${index + 1}/${chosen.length}`, mutant.name, verdict, detail || mutant.survives].filter(Boolean).join(': ')} (${seconds} s)`,
    );
  }
  console.log(`${found} of ${chosen.length} mutants found, ${((100 * found) / chosen.length).toFixed(1)} %`);
  return unexplained > 0 ? 1 : 0;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: top, encoding: 'utf8' }).trim();
}
