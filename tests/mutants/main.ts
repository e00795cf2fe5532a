import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Mutant } from './mutant.js';
import { mutants } from './mutants.js';

const usage = `mutants [--only TEXT] [--list]

Changes one line of the source at a time, in a copy, and runs the tests of its package, then the committed vectors. A test must fail.

  --only  only mutants whose name contains the text: volume-manager, kube-client/back-off
  --list  prints the mutants without running them

Exits with 1 if a mutant survives without a reason in the list.
`;

const top = fileURLToPath(new URL('../..', import.meta.url));
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
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The sources in a temporary folder, with the dependencies of the checkout. */
function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'nodeagent-mutants-'));
  const isSource = (path: string) => !['dist', '.cache', '.tsbuild'].includes(basename(path));
  for (const entry of readdirSync(top, { withFileTypes: true })) {
    if (!entry.isFile() && !['packages', 'tests', 'scripts', 'examples'].includes(entry.name)) continue;
    cpSync(join(top, entry.name), join(copy, entry.name), { recursive: true, verbatimSymlinks: true, filter: isSource });
  }
  symlinkSync(join(top, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function packageOf({ file }: Mutant): string {
  return file.split('/').slice(0, 2).join('/');
}

/** What finds the mutant; undefined if nothing does. */
async function killerOf(copy: string, mutant: Mutant): Promise<string | undefined> {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, 'utf8');
  if (source.split(mutant.find).length !== 2) throw new Error(`${mutant.name}: its line does not occur once in ${mutant.file}`);
  writeFileSync(
    path,
    source.replace(mutant.find, () => mutant.replace),
  );
  try {
    const { outcome, failed } = await runTests(copy, packageOf(mutant));
    if (outcome === 'hung') return `the limit of ${limitMs / 1_000} s`;
    if (outcome === 'failed') return failed[0] ?? 'tests that do not load';
    const vectors = await run(copy, ['node_modules/tsx/dist/cli.mjs', 'tests/vectors/src/main.ts']);
    return vectors === 0 ? undefined : 'the committed vectors';
  } finally {
    writeFileSync(path, source);
  }
}

async function runTests(copy: string, folder: string): Promise<Run> {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const options = ['--bail', '1', '--reporter', 'json', '--outputFile', report];
  const status = await run(copy, ['node_modules/vitest/vitest.mjs', 'run', `${folder}/`, ...options]);
  if (status === undefined) return { outcome: 'hung', failed: [] };
  const { testResults = [] }: { testResults?: { name: string; status: string }[] } = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8'))
    : {};
  const failed = testResults
    .filter((each) => each.status === 'failed')
    .map(({ name }) => name.slice(copy.length).split(sep).join('/').slice(1));
  return { outcome: status === 0 ? 'passed' : 'failed', failed };
}

/** Resolves to the exit status; undefined after the time limit. */
async function run(cwd: string, args: readonly string[]): Promise<number | undefined> {
  const child = spawn(process.execPath, args, { cwd, stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const [status]: [number | null] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return status ?? undefined;
}
