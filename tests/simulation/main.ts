import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { recordRun } from '../support/reliability-runs.js';
import { actionsOf } from './actions.js';
import { type SimulateOptions, simulateOptions, usage } from './arguments.js';
import { mutations } from './mutations.js';
import { playgroundLink } from './playground-link.js';
import { addCoverage, coverageTable, describeDensity, explainFailure, totalsText, uncovered } from './report.js';
import { type Outcome, runSeed } from './run-seed.js';
import type { Coverage } from './simulated-node.js';

/** The result of a run, as a process sends it to its parent. */
type SeedResult = Pick<Outcome, 'createdPods' | 'checks' | 'coverage' | 'events' | 'removedImages' | 'failure'> & { seed: number };

/** Maximum number of progress lines. */
const progressLines = 20;

/** Set in a process that runs the seeds that the first one sends. */
const isWorker = process.env.SIMULATION_WORKER !== undefined;

try {
  const options = simulateOptions(process.argv.slice(2));
  if (options.help) console.log(usage.trimEnd());
  else if (isWorker) runSentSeeds(options);
  else process.exitCode = await simulate(options);
} catch (error) {
  console.error(`simulate: ${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
}

async function simulate(options: SimulateOptions): Promise<number> {
  const coverage: Coverage = {};
  const failed: SeedResult[] = [];
  const wanted = options.to - options.from + 1;
  let [runs, createdPods, checks, events, removedImages] = [0, 0, 0, 0, 0];
  const report = (result: SeedResult) => {
    runs++;
    createdPods += result.createdPods;
    checks += result.checks;
    events += result.events;
    removedImages += result.removedImages;
    addCoverage(coverage, result.coverage);
    if (runs % Math.ceil(wanted / progressLines) === 0) console.error(`${runs} of ${wanted} runs, ${createdPods} pod lifecycles`);
    if (!result.failure) return;
    failed.push(result);
    console.log(`seed ${result.seed} fails after ${result.failure.step} actions: ${result.failure.invariant}: ${result.failure.what}`);
  };
  let seed = options.from;
  const next = () => (seed > options.to || (options.first && failed.length > 0) ? undefined : seed++);
  if (options.jobs === 1) for (let each = next(); each !== undefined; each = next()) report(await resultOf(options, each));
  else await Promise.all(Array.from({ length: options.jobs }, () => runWorker(next, report)));

  const [first, ...others] = failed.sort((a, b) => a.seed - b.seed);
  const mutation = mutations.find(({ name }) => name === options.mutation);
  if (first && !options.brief) for (const line of await explainFailure({ ...options, seed: first.seed, mutation })) console.log(line);
  for (const { seed, failure } of options.brief ? failed : others)
    console.log(`seed ${seed} ${await playgroundLink(seed, actionsOf({ ...options, seed }).slice(0, failure?.step))}`);
  console.log('faults:');
  for (const line of coverageTable(coverage)) console.log(line);
  const missing = options.covered ? [...uncovered(coverage), ...(removedImages === 0 ? ['removal of an image'] : [])] : [];
  if (missing.length > 0) console.log(`never hit: ${missing.join(', ')}`);
  if (options.record) {
    const seeds = failed.map((each) => each.seed);
    recordRun(options.record, totalsText({ runs, failed: seeds, createdPods, checks, events, removedImages, coverage }));
  }
  console.log(`${events} events written, ${removedImages} images removed, ${describeDensity(createdPods, coverage)}`);
  console.log(`${runs - failed.length}/${wanted} runs without a violation: ${createdPods} pod lifecycles, ${checks} checks of invariants`);
  return failed.length > 0 || missing.length > 0 || runs < wanted ? 1 : 0;
}

async function resultOf({ mutation: name, ...options }: SimulateOptions, seed: number): Promise<SeedResult> {
  const mutation = mutations.find((each) => each.name === name);
  const { trace: _, ...outcome } = await runSeed({ ...options, seed, mutation });
  return { seed, ...outcome };
}

/** Each process takes the next seed when it is done with one: seeds over sockets take several times as long as others. */
async function runWorker(next: () => number | undefined, report: (result: SeedResult) => void): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), { env: { ...process.env, SIMULATION_WORKER: '1' } });
  const give = () => {
    const seed = next();
    if (seed === undefined) child.disconnect();
    else child.send(seed);
  };
  child.on('message', (result) => {
    report(result as SeedResult);
    give();
  });
  give();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`a process of the simulation exited with ${code}`);
}

function runSentSeeds(options: SimulateOptions): void {
  process.on('message', async (seed) => process.send?.(await resultOf(options, seed as number)));
}
