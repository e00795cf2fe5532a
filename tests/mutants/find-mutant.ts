import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { changeLine, runInCopy } from '../support/source-copy.js';
import type { Mutant } from './mutant.js';
import type { Result } from './results.js';

/** The longest run of tests. A mutant that makes them hang is found. */
const limitMs = 120_000;
/** How often tests may fail that also fail without the mutant. */
const maxAttempts = 3;

/** What found a mutant; `detail` names the failed test. */
export type Found = Pick<Result, 'foundBy' | 'detail'>;

/**
 * Runs the test file beside the mutated one in the copy of the sources, then the tests of the package, then the committed vectors, until one
 * fails. What fails must fail again, and pass without the mutant. Rejects if it fails without the mutant repeatedly.
 */
export async function findMutant(copy: string, mutant: Mutant): Promise<Found> {
  const beside = mutant.file.replace(/\.ts$/, '.test.ts');
  const filters = [...(existsSync(join(copy, beside)) ? [beside] : []), `packages/${mutant.packageName}/`];
  let restore = changeLine(copy, mutant);
  /** Whether what `fails` with the mutant passes without it: a test that fails now and then finds no mutant. */
  const passesWithout = async (fails: () => Promise<unknown>) => {
    restore();
    const failure = await fails();
    restore = changeLine(copy, mutant);
    return !failure;
  };
  try {
    for (const filter of filters) {
      for (let attempt = 1; ; attempt++) {
        const failure = await runTests(copy, filter);
        if (failure === undefined) break;
        const again = () => runTests(copy, failure.filter);
        if ((await again()) && (await passesWithout(again))) return { foundBy: 'tests', detail: failure.detail };
        if (attempt === maxAttempts) throw new Error(`fails with and without the mutant: ${failure.detail}`);
      }
    }
    const fails = () => vectorsFail(copy);
    if (!(await fails())) return { foundBy: 'nothing', detail: '' };
    if (!(await passesWithout(fails))) throw new Error('the vectors fail without the mutant');
    return { foundBy: 'vectors', detail: '' };
  } finally {
    restore();
  }
}

interface Failure {
  /** Selects the failed file. */
  filter: string;
  detail: string;
}

/** Runs the test files whose path contains the filter; undefined if all passed. */
async function runTests(copy: string, filter: string): Promise<Failure | undefined> {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const options = ['--bail', '1', '--reporter', 'json', '--outputFile', report];
  const { status } = await runInCopy(copy, ['node_modules/vitest/vitest.mjs', 'run', filter, ...options], limitMs);
  if (status === 0) return undefined;
  if (status === undefined) return { filter, detail: `hangs for ${limitMs / 1_000} s` };
  return describeFailure(copy, report, filter);
}

async function vectorsFail(copy: string): Promise<boolean> {
  const { status } = await runInCopy(copy, ['node_modules/tsx/dist/cli.mjs', 'tests/vectors/src/main.ts'], limitMs);
  return status !== 0;
}

/** Part of vitest's JSON report. */
interface Report {
  testResults: { name: string; status: string; message: string; assertionResults: { fullName: string; status: string }[] }[];
}

function describeFailure(copy: string, report: string, filter: string): Failure {
  const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.find(({ status }) => status === 'failed');
  // Such as an unhandled rejection.
  if (failed === undefined) return { filter, detail: 'an error outside of tests' };
  const file = relative(copy, failed.name);
  const test = failed.assertionResults.find(({ status }) => status === 'failed');
  return { filter: file, detail: `${file}: ${test?.fullName ?? failed.message}` };
}
