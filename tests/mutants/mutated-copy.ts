import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { type Mutant, mutate } from './mutant.js';
import type { Finder } from './results.js';

/** The longest run of tests. A mutant that makes them hang is found. */
const limitMs = 120_000;

/** A copy of the sources, in which one line at a time is wrong. */
export interface MutatedCopy {
  /** Throws if a test of the package fails without a mutant. */
  checkTests(packageName: string): Promise<void>;
  /** Runs the test file beside the mutated one, then the tests of the package, then the committed vectors, until one fails. */
  finderOf(mutant: Mutant): Promise<{ foundBy: Finder; detail: string }>;
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

  /** What failed; undefined if all passed. */
  const failedTest = async (filter: string): Promise<string | undefined> => {
    const report = join(copy, 'report.json');
    rmSync(report, { force: true });
    const options = ['--bail', '1', '--reporter', 'json', '--outputFile', report];
    const status = await run(copy, ['node_modules/vitest/vitest.mjs', 'run', filter, ...options]);
    if (status === 0) return undefined;
    if (status === undefined) return `hangs for ${limitMs / 1_000} s`;
    return describeFailure(copy, report);
  };

  return {
    async checkTests(packageName) {
      const failed = await failedTest(`packages/${packageName}/`);
      if (failed !== undefined) throw new Error(`without a mutant: ${failed}`);
    },
    async finderOf(mutant) {
      const path = join(copy, mutant.file);
      const source = readFileSync(path, 'utf8');
      writeFileSync(path, mutate(source, mutant));
      try {
        const beside = mutant.file.replace(/\.ts$/, '.test.ts');
        const filters = [...(existsSync(join(copy, beside)) ? [beside] : []), `packages/${mutant.packageName}/`];
        for (const filter of filters) {
          const failed = await failedTest(filter);
          if (failed !== undefined) return { foundBy: 'tests', detail: failed };
        }
        const vectors = await run(copy, ['node_modules/tsx/dist/cli.mjs', 'tests/vectors/src/main.ts']);
        return vectors === 0 ? { foundBy: 'nothing', detail: '' } : { foundBy: 'vectors', detail: '' };
      } finally {
        writeFileSync(path, source);
      }
    },
    remove() {
      rmSync(copy, { recursive: true, force: true });
    },
  };
}

/** Part of vitest's JSON report. */
interface Report {
  testResults: { name: string; status: string; message: string; assertionResults: { fullName: string; status: string }[] }[];
}

function describeFailure(copy: string, file: string): string {
  const { testResults }: Report = JSON.parse(readFileSync(file, 'utf8'));
  const failed = testResults.find(({ status }) => status === 'failed');
  // Such as an unhandled rejection.
  if (failed === undefined) return 'an error outside of tests';
  const test = failed.assertionResults.find(({ status }) => status === 'failed');
  return `${relative(copy, failed.name)}: ${test?.fullName ?? failed.message}`;
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
