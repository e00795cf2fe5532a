import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type SimulateOptions, simulateOptions, usage } from './arguments.js';
import { mutations } from './mutations.js';
import { addCoverage, coverageTable, explainFailure, uncovered } from './report.js';
import { type Outcome, runSeed } from './run-seed.js';
import type { Coverage } from './world.js';

/** What a run came to, as a process tells its parent. */
type Told = Pick<Outcome, 'lives' | 'checks' | 'coverage' | 'failure'> & { seed: number };

/** How often it is told how far a simulation is, at most. */
const progressLines = 20;

/** Which of the processes this is; absent in the first one. */
const share = process.env.SIMULATION_SHARE;

try {
  const options = simulateOptions(process.argv.slice(2));
  if (options.help) console.log(usage.trimEnd());
  else if (share === undefined) process.exitCode = await simulate(options);
  else await runShare(options, Number(share), (told) => process.send?.(told));
} catch (error) {
  console.error(`simulate: ${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
}

async function simulate(options: SimulateOptions): Promise<number> {
  const coverage: Coverage = {};
  const failed: Told[] = [];
  const wanted = options.to - options.from + 1;
  let [runs, lives, checks] = [0, 0, 0];
  const hear = (told: Told) => {
    runs++;
    lives += told.lives;
    checks += told.checks;
    addCoverage(coverage, told.coverage);
    if (runs % Math.ceil(wanted / progressLines) === 0) console.error(`${runs} of ${wanted} runs, ${lives} pod lives`);
    if (!told.failure) return;
    failed.push(told);
    console.log(`seed ${told.seed} fails after ${told.failure.step} actions: ${told.failure.invariant}: ${told.failure.what}`);
  };
  if (options.jobs === 1) await runShare(options, 0, hear);
  else await Promise.all(Array.from({ length: options.jobs }, (_, index) => runChild(index, hear)));

  const [first] = failed.sort((a, b) => a.seed - b.seed);
  const mutation = mutations.find(({ name }) => name === options.mutation);
  if (first && !options.brief) for (const line of await explainFailure({ ...options, seed: first.seed, mutation })) console.log(line);
  console.log('faults:');
  for (const line of coverageTable(coverage)) console.log(line);
  const missing = options.covered ? uncovered(coverage) : [];
  if (missing.length > 0) console.log(`never felt: ${missing.join(', ')}`);
  console.log(`${runs - failed.length}/${wanted} runs without a violation: ${lives} pod lives, ${checks} checks of invariants`);
  return failed.length > 0 || missing.length > 0 || runs < wanted ? 1 : 0;
}

/** Every `jobs`-th seed, from the `index`-th on. */
async function runShare({ mutation: name, ...options }: SimulateOptions, index: number, tell: (told: Told) => void): Promise<void> {
  const mutation = mutations.find((each) => each.name === name);
  for (let seed = options.from + index; seed <= options.to; seed += options.jobs) {
    const { lives, checks, coverage, failure } = await runSeed({ ...options, seed, mutation });
    tell({ seed, lives, checks, coverage, ...(failure && { failure }) });
  }
}

async function runChild(index: number, hear: (told: Told) => void): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), { env: { ...process.env, SIMULATION_SHARE: `${index}` } });
  child.on('message', (told) => hear(told as Told));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`process ${index} ended with ${code}`);
}
