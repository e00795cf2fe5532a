import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordRun } from '../support/reliability-runs.js';
import { argumentsOf, type FuzzOptions, fuzzOptions, usage } from './arguments.js';
import { caseText, keepCase } from './cases.js';
import type { Progress } from './check-inputs.js';
import { readResults, recordResult, resultsTable } from './guided/results.js';
import type { Finding, TargetResult } from './run-target.js';
import { targets } from './targets.js';

/** Longest time without a new input before the process counts as hanging. */
const hangMs = 60_000;

try {
  const options = fuzzOptions(process.argv.slice(2), targets);
  if (options.help) console.log(usage.trimEnd());
  else if (options.table) console.log(resultsTable(readResults()));
  else if (options.list) for (const { name, promise } of targets) console.log(`${name}: ${promise}`);
  else process.exitCode = await fuzz(options);
} catch (error) {
  console.error(`fuzz: ${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
}

/** Runs the targets in a process that can be ended when it hangs or needs too much memory. Resolves to the exit code. */
async function fuzz({ targets: names, seed = randomInt(0x7fff_ffff), ...options }: FuzzOptions): Promise<number> {
  console.log(`seed ${seed}`);
  let [held, all, inputs] = [0, 0, 0];
  const report = (result: TargetResult) => {
    const { target, cases, runs, findings } = result;
    console.log(summary(result));
    if (options.record) record(result, options.guided ? 'guided' : 'random');
    for (const finding of findings) explain(target, finding, seed, options.keep);
    all += cases + 1;
    held += cases + 1 - findings.length;
    inputs += runs;
  };
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-fuzz-'));
  try {
    const program = options.edges ? join(folder, 'check-inputs.cjs') : fileURLToPath(new URL('./check-inputs.ts', import.meta.url));
    if (options.edges) {
      const { writeInstrumentedBundle } = await import('./guided/instrumented-bundle.js');
      await writeInstrumentedBundle(program);
    }
    for (let rest = names; rest.length > 0; ) {
      // What an earlier target left running would count for the next one.
      const next = options.edges ? rest.slice(0, 1) : rest;
      const done = await runInProcess(program, { ...options, targets: next, seed }, report);
      rest = rest.slice(done);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (options.record) recordRun('fuzz --guided', resultsTable(readResults()));
  console.log(`${held}/${all} targets and kept cases hold their promises, ${inputs} inputs`);
  return held < all ? 1 : 0;
}

function summary({ target, cases, runs, cpuMs, edges, corpus, findings }: TargetResult): string {
  const parts = [`${target}: ${cases} kept cases`, `${runs} inputs`, `${(cpuMs / 1_000).toFixed(1)} s of CPU`];
  if (edges !== undefined) parts.push(`${edges} edges`);
  if (corpus !== undefined) parts.push(`${corpus} inputs changed further`);
  if (findings.length > 0) parts.push('FAILED');
  return parts.join(', ');
}

function record({ target, runs, cpuMs, edges }: TargetResult, kind: 'random' | 'guided'): void {
  // A process that ended has no count.
  if (edges === undefined) return;
  const date = new Date().toISOString().slice(0, 10);
  recordResult(target, kind, { inputs: runs, cpuSeconds: Math.round(cpuMs / 100) / 10, edges, date });
}

/** Resolves to the number of targets that ended, one of them perhaps with the process. */
async function runInProcess(program: string, options: FuzzOptions, report: (result: TargetResult) => void): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-fuzz-'));
  const file = join(folder, 'input.json');
  closeSync(openSync(file, 'w'));
  const child = fork(program, argumentsOf(options), {
    env: { ...process.env, FUZZ_INPUT_FILE: file },
    // The bundle needs no loader.
    execArgv: [...(options.edges ? [] : process.execArgv), '--max-old-space-size=512'],
  });
  let done = 0;
  let current: string | undefined;
  let hung = false;
  child.on('message', (message: Progress) => {
    if ('started' in message) {
      current = message.started;
      return;
    }
    current = undefined;
    done++;
    report(message);
  });
  const watch = setInterval(() => {
    if (Date.now() - statSync(file).mtimeMs < hangMs) return;
    hung = true;
    child.kill('SIGKILL');
  }, 1_000);
  const [code, signal]: [number | null, string | null] = (await once(child, 'exit')) as [number | null, string | null];
  clearInterval(watch);
  const text = readFileSync(file, 'utf8');
  rmSync(folder, { recursive: true });
  if (code === 0) return done;
  if (current === undefined) throw new Error(`the process that checks inputs exited with ${code ?? signal}`);
  const error = hung ? `the input takes more than ${hangMs / 1_000} s` : `the input ends the process: ${code ?? signal}`;
  report({ target: current, cases: 0, runs: 0, cpuMs: 0, findings: [{ input: JSON.parse(text), error }] });
  return done + 1;
}

function explain(target: string, { input, error, keptCase, path }: Finding, seed: number, keep: boolean): void {
  const found = error.split('\n', 1)[0] ?? '';
  if (keptCase !== undefined) console.log(`  the kept case ${keptCase} fails: ${error}`);
  else {
    console.log(`  seed ${seed}${path === undefined ? '' : `, path ${path}`}: ${error}`);
    const file = { name: `seed-${seed}.json`, found, input };
    if (keep) console.log(`  kept as ${keepCase(target, file)}`);
    else
      console.log(`  to keep it, write this to tests/fuzz/cases/${target}/NAME.json, or run with --keep:\n${caseText({ found, input })}`);
  }
}
