import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { type Mutant, mutate } from './mutant.js';
import type { Result } from './results.js';

/** The longest run of tests. A mutant that makes them hang is found. */
const limitMs = 120_000;
/** How often tests may fail that also fail without the mutant. */
const maxAttempts = 3;

/** What found a mutant; `detail` names the failed test. */
export type Found = Pick<Result, 'foundBy' | 'detail'>;

/** A copy of the sources, in which one line at a time is wrong. */
export interface MutatedCopy {
  /**
   * Runs the test file beside the mutated one, then the tests of the package, then the committed vectors, until one fails. What fails must
   * fail again, and pass without the mutant. Rejects if it fails without the mutant repeatedly.
   */
  finderOf(mutant: Mutant): Promise<Found>;
  remove(): void;
}

/** Copies the sources of the checkout to a temporary folder; they use the dependencies of the checkout. */
export function createMutatedCopy(top: string): MutatedCopy {
  const copy = mkdtempSync(join(tmpdir(), 'nodeagent-mutants-'));
  const isSource = (path: string) => !['dist', '.cache', '.tsbuild'].includes(basename(path));
  for (const entry of readdirSync(top, { withFileTypes: true })) {
    if (!entry.isFile() && !['packages', 'tests', 'scripts', 'examples'].includes(entry.name)) continue;
    cpSync(join(top, entry.name), join(copy, entry.name), { recursive: true, verbatimSymlinks: true, filter: isSource });
  }
  symlinkSync(join(top, 'node_modules'), join(copy, 'node_modules'));

  /** Runs the test files whose path contains the filter; undefined if all passed. */
  const runTests = async (filter: string): Promise<Failure | undefined> => {
    const report = join(copy, 'report.json');
    rmSync(report, { force: true });
    const options = ['--bail', '1', '--reporter', 'json', '--outputFile', report];
    const status = await run(copy, ['node_modules/vitest/vitest.mjs', 'run', filter, ...options]);
    if (status === 0) return undefined;
    if (status === undefined) return { filter, detail: `hangs for ${limitMs / 1_000} s` };
    return describeFailure(copy, report, filter);
  };
  const vectorsFail = async () => (await run(copy, ['node_modules/tsx/dist/cli.mjs', 'tests/vectors/src/main.ts'])) !== 0;
  /** Whether what `fails` with the mutant passes without it: a test that fails now and then finds no mutant. */
  const passesWithout = async (mutated: Mutated, fails: () => Promise<unknown>) => {
    mutated.restore();
    const failure = await fails();
    mutated.apply();
    return !failure;
  };
  const finderOfMutated = async (mutated: Mutated, filters: readonly string[]): Promise<Found> => {
    for (const filter of filters) {
      for (let attempt = 1; ; attempt++) {
        const failure = await runTests(filter);
        if (failure === undefined) break;
        const again = () => runTests(failure.filter);
        if ((await again()) && (await passesWithout(mutated, again))) return { foundBy: 'tests', detail: failure.detail };
        if (attempt === maxAttempts) throw new Error(`fails with and without the mutant: ${failure.detail}`);
      }
    }
    if (!(await vectorsFail())) return { foundBy: 'nothing', detail: '' };
    if (!(await passesWithout(mutated, vectorsFail))) throw new Error('the vectors fail without the mutant');
    return { foundBy: 'vectors', detail: '' };
  };

  return {
    async finderOf(mutant) {
      const path = join(copy, mutant.file);
      const source = readFileSync(path, 'utf8');
      const wrong = mutate(source, mutant);
      const mutated = { apply: () => writeFileSync(path, wrong), restore: () => writeFileSync(path, source) };
      const beside = mutant.file.replace(/\.ts$/, '.test.ts');
      mutated.apply();
      try {
        return await finderOfMutated(mutated, [...(existsSync(join(copy, beside)) ? [beside] : []), `packages/${mutant.packageName}/`]);
      } finally {
        mutated.restore();
      }
    },
    remove() {
      rmSync(copy, { recursive: true, force: true });
    },
  };
}

/** A source file that has the wrong line, or not. */
interface Mutated {
  apply(): void;
  restore(): void;
}

interface Failure {
  /** Selects the failed file. */
  filter: string;
  detail: string;
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

/** Resolves to the exit status; undefined after the time limit. */
async function run(cwd: string, args: readonly string[]): Promise<number | undefined> {
  // In a separate process group: workers in an endless loop outlive their parent.
  const child = spawn(process.execPath, args, { cwd, stdio: 'ignore', detached: true });
  const killGroup = () => killProcesses(child);
  const timer = setTimeout(killGroup, limitMs);
  process.once('exit', killGroup);
  const [status]: [number | null] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  process.off('exit', killGroup);
  return status ?? undefined;
}

function killProcesses({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}
