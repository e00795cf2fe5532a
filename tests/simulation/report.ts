import { runFacts } from '../support/reliability-runs.js';
import { type Action, actionsOf, describeAction, type RunOptions } from './actions.js';
import { faultKinds } from './faults.js';
import { playgroundLink } from './playground-link.js';
import { runSeed } from './run-seed.js';
import { shortestPrefix, withoutIrrelevant } from './shrink.js';
import type { Coverage, Mutation } from './simulated-node.js';

const traceLines = 5_000;
const shownLines = 100;
/** Calls of an idle node. */
const routine = /cri (status|version|listImages)$| api (update leases|patch nodes) /;

/** Explains a failing run: its shortest failing beginning, the relevant actions of it, and the end of the trace. */
export async function explainFailure(run: RunOptions & { mutation?: Mutation | undefined }): Promise<string[]> {
  const actions = actionsOf(run);
  const first = await runSeed(run);
  if (first.failure === undefined) return [`seed ${run.seed} does not fail`];
  const { invariant } = first.failure;
  const fails = async (some: readonly Action[]) => (await runSeed({ ...run, actions: some })).failure?.invariant === invariant;
  const prefix = await shortestPrefix(actions, first.failure.step, fails);
  const needed = await withoutIrrelevant(prefix, fails);
  const { failure, trace } = await runSeed({ ...run, actions: needed, traceLimit: traceLines });
  return [
    `seed ${run.seed}: ${first.failure.invariant}: ${first.failure.what}`,
    `the first ${prefix.length} of ${actions.length} actions fail; of these, these suffice:`,
    ...needed.map((action) => `  ${describeAction(action)}`),
    `then ${failure?.invariant}: ${failure?.what}`,
    await playgroundLink(run.seed, needed),
    ...trace
      .filter((line) => !routine.test(line))
      .slice(-shownLines)
      .map((line) => `  ${line}`),
  ];
}

/** One line per kind of fault: how often it was injected, and hit. */
export function coverageTable(coverage: Coverage): string[] {
  const width = Math.max(...faultKinds.map(({ name }) => name.length));
  return faultKinds.map(({ name }) => {
    const { injected, hit } = coverage[name] ?? { injected: 0, hit: 0 };
    return `  ${name.padEnd(width)} ${String(injected).padStart(8)} injected ${String(hit).padStart(9)} hit`;
  });
}

/** Kinds of faults that were never hit. */
export const uncovered = (coverage: Coverage): string[] =>
  faultKinds.filter(({ name }) => (coverage[name]?.hit ?? 0) === 0).map(({ name }) => name);

/** The number of pods for each injected fault. */
export function describeDensity(createdPods: number, coverage: Coverage): string {
  const faults = Object.values(coverage).reduce((sum, { injected }) => sum + injected, 0);
  return faults === 0 ? 'no faults' : `a fault for every ${Math.round(createdPods / faults)} pod lifecycles`;
}

export function addCoverage(sum: Coverage, more: Coverage): void {
  for (const [name, { injected, hit }] of Object.entries(more)) {
    const counts = sum[name] ?? { injected: 0, hit: 0 };
    sum[name] = { injected: counts.injected + injected, hit: counts.hit + hit };
  }
}

/** Sums of a simulation. */
export interface Totals {
  runs: number;
  /** Seeds of runs with a violation. */
  failed: readonly number[];
  createdPods: number;
  checks: number;
  events: number;
  removedImages: number;
  coverage: Coverage;
}

/** The result as Markdown. */
export function totalsText({ runs, failed, createdPods, checks, events, removedImages, coverage }: Totals): string {
  const { date, commit } = runFacts();
  const count = (number: number) => number.toLocaleString('en-US');
  const rows = faultKinds.map(({ name }) => {
    const { injected, hit } = coverage[name] ?? { injected: 0, hit: 0 };
    return `| \`${name}\` | ${count(injected)} | ${count(hit)} |`;
  });
  return [
    `On ${date} at ${commit}: ${count(runs)} seeds, ${failed.length === 0 ? 'no violation' : `violations in the seeds ${failed.join(', ')}`}.`,
    `${count(createdPods)} pod lifecycles, ${count(events)} events, ${count(removedImages)} removed images, ${count(checks)} checks of invariants,`,
    `${describeDensity(createdPods, coverage)}.`,
    '',
    '| fault | injected | hit |',
    '| --- | --: | --: |',
    ...rows,
  ].join('\n');
}
