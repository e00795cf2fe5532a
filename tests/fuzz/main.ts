import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { argumentsOf, type FuzzOptions, fuzzOptions, usage } from './arguments.js';
import { casesOf, caseText, keepCase } from './cases.js';
import type { Json } from './generate/json.js';
import { type Finding, runTarget, type TargetResult, watchStrayErrors } from './run-target.js';
import { targets } from './targets.js';

/** Longest time without a new input before the process counts as hanging. */
const hangMs = 60_000;
/** The file with the current input, for the process that checks inputs; absent in the first process. */
const inputFile = process.env.FUZZ_INPUT_FILE;

type Message = TargetResult | { started: string };

try {
  const names = targets.map(({ name }) => name);
  const options = fuzzOptions(process.argv.slice(2), names);
  if (options.help) console.log(usage.trimEnd());
  else if (options.list) for (const { name, promise } of targets) console.log(`${name}: ${promise}`);
  else if (inputFile !== undefined) await checkInputs(options, inputFile);
  else process.exitCode = await fuzz({ ...options, targets: options.targets.length > 0 ? options.targets : names });
} catch (error) {
  console.error(`fuzz: ${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
}

/** Runs the targets in a process that can be ended when it hangs or needs too much memory. */
async function fuzz({ targets: names, seed = randomInt(0x7fff_ffff), ...options }: FuzzOptions): Promise<number> {
  console.log(`seed ${seed}`);
  let [held, all, inputs] = [0, 0, 0];
  const report = ({ target, cases, runs, cpuMs, findings }: TargetResult) => {
    console.log(
      `${target}: ${cases} kept cases, ${runs} inputs, ${(cpuMs / 1_000).toFixed(1)} s of CPU${findings.length > 0 ? ', FAILED' : ''}`,
    );
    for (const finding of findings) explain(target, finding, seed, options.keep);
    all += cases + 1;
    held += cases + 1 - findings.length;
    inputs += runs;
  };
  for (let rest = names; rest.length > 0; ) {
    const done = await runInProcess({ ...options, targets: rest, seed }, report);
    rest = rest.slice(done);
  }
  console.log(`${held}/${all} targets and kept cases hold their promises, ${inputs} inputs`);
  return held < all ? 1 : 0;
}

/** Resolves to the number of targets that ended, one of them perhaps with the process. */
async function runInProcess(options: FuzzOptions, report: (result: TargetResult) => void): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-fuzz-'));
  const file = join(folder, 'input.json');
  closeSync(openSync(file, 'w'));
  const child = fork(fileURLToPath(import.meta.url), argumentsOf(options), {
    env: { ...process.env, FUZZ_INPUT_FILE: file },
    execArgv: [...process.execArgv, '--max-old-space-size=512'],
  });
  let done = 0;
  let current: string | undefined;
  let hung = false;
  child.on('message', (message: Message) => {
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

async function checkInputs(options: FuzzOptions, file: string): Promise<void> {
  watchStrayErrors();
  const current = openSync(file, 'w');
  const before = (input: Json) => {
    ftruncateSync(current);
    writeSync(current, JSON.stringify(input), 0);
  };
  for (const target of targets.filter(({ name }) => options.targets.includes(name))) {
    process.send?.({ started: target.name });
    const result = await runTarget(target, { ...options, seed: options.seed ?? 0, cases: casesOf(target.name) }, before);
    process.send?.(result);
  }
  process.disconnect();
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
