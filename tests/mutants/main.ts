import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { copySources, removeCopy, runInCopy, withChange } from '../support/source-copy.js';
import type { Mutant } from './mutant.js';
import { mutants } from './mutants.js';

const usage = `mutants [--only TEXT] [--list]

Changes one line of the source at a time, in a copy, and runs the tests of its package, then the committed vectors. A test must fail.

  --only  only mutants whose name contains the text: volume-manager, kube-client/back-off
  --list  prints the mutants without running them

Exits with 1 if a mutant survives without a reason in the list.
`;

/** Longest run of the tests of a package; a mutant that makes them hang is found. */
const limitMs = 300_000;

interface Run {
  outcome: 'passed' | 'failed' | 'hung';
  /** The test files that failed. */
  failed: string[];
}

try {
  const { values } = parseArgs({
    options: { only: { type: 'string', default: '' }, list: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
  });
  const chosen = mutants.filter(({ name }) => name.includes(values.only));
  if (values.help) process.stdout.write(usage);
  else if (chosen.length === 0) throw new Error(`--only: no mutant is named ${values.only}`);
  else if (values.list)
    for (const { name, find, replace } of chosen) console.log(`${name}: ${find.trim()} -> ${replace.trim() || 'nothing'}`);
  else process.exitCode = await runAll(chosen);
} catch (error) {
  console.error(`mutants: ${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
}

async function runAll(chosen: readonly Mutant[]): Promise<number> {
  const copy = copySources();
  try {
    for (const folder of new Set(chosen.map(packageOf))) {
      const { outcome, failed } = await runTests(copy, folder);
      if (outcome !== 'passed') throw new Error(`the tests of ${folder} fail without a mutant: ${failed.join(', ')}`);
    }
    let unexplained = 0;
    let killed = 0;
    for (const [index, mutant] of chosen.entries()) {
      const began = performance.now();
      const by = await killerOf(copy, mutant);
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      if (by !== undefined) killed += 1;
      else if (mutant.survives === undefined) unexplained += 1;
      const verdict = by === undefined ? `SURVIVED${mutant.survives ? `: ${mutant.survives}` : ''}` : `killed by ${by}`;
      console.log(`${index + 1}/${chosen.length} ${mutant.name}: ${verdict} (${seconds} s)`);
    }
    console.log(`${killed} of ${chosen.length} mutants killed, ${((100 * killed) / chosen.length).toFixed(1)} %`);
    return unexplained > 0 ? 1 : 0;
  } finally {
    removeCopy(copy);
  }
}

function packageOf({ file }: Mutant): string {
  return file.split('/').slice(0, 2).join('/');
}

/** What finds the mutant; undefined if nothing does. */
function killerOf(copy: string, mutant: Mutant): Promise<string | undefined> {
  return withChange(copy, mutant, async () => {
    const { outcome, failed } = await runTests(copy, packageOf(mutant));
    if (outcome === 'hung') return `the limit of ${limitMs / 1_000} s`;
    if (outcome === 'failed') return failed[0] ?? 'tests that do not load';
    const vectors = await runInCopy(copy, ['node_modules/tsx/dist/cli.mjs', 'tests/vectors/src/main.ts'], limitMs);
    return vectors.status === 0 ? undefined : 'the committed vectors';
  });
}

async function runTests(copy: string, folder: string): Promise<Run> {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const options = ['--bail', '1', '--reporter', 'json', '--outputFile', report];
  const { status } = await runInCopy(copy, ['node_modules/vitest/vitest.mjs', 'run', `${folder}/`, ...options], limitMs);
  if (status === undefined) return { outcome: 'hung', failed: [] };
  const { testResults = [] }: { testResults?: { name: string; status: string }[] } = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8'))
    : {};
  const failed = testResults
    .filter((each) => each.status === 'failed')
    .map(({ name }) => name.slice(copy.length).split(sep).join('/').slice(1));
  return { outcome: status === 0 ? 'passed' : 'failed', failed };
}
