import { type Action, actionsOf, describeAction, type RunOptions } from './actions.js';
import { faultKinds } from './faults.js';
import { runSeed } from './run-seed.js';
import { shortestPrefix, withoutIrrelevant } from './shrink.js';
import type { Coverage, Mutation } from './world.js';

const traceLines = 5_000;
const shownLines = 100;
/** What a node does in any case. */
const routine = /cri (status|version|listImages)$| api (update leases|patch nodes) /;

/** What a failing run comes down to: the shortest beginning that fails, what of it matters, and what happened last. */
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
    ...trace
      .filter((line) => !routine.test(line))
      .slice(-shownLines)
      .map((line) => `  ${line}`),
  ];
}

/** One line a kind of fault: how often it was begun, and felt. */
export function coverageTable(coverage: Coverage): string[] {
  const width = Math.max(...faultKinds.map(({ name }) => name.length));
  return faultKinds.map(({ name }) => {
    const { begun, felt } = coverage[name] ?? { begun: 0, felt: 0 };
    return `  ${name.padEnd(width)} ${String(begun).padStart(8)} begun ${String(felt).padStart(9)} felt`;
  });
}

/** Kinds of faults that were never felt. */
export const uncovered = (coverage: Coverage): string[] =>
  faultKinds.filter(({ name }) => (coverage[name]?.felt ?? 0) === 0).map(({ name }) => name);

export function addCoverage(sum: Coverage, more: Coverage): void {
  for (const [name, { begun, felt }] of Object.entries(more)) {
    const counts = sum[name] ?? { begun: 0, felt: 0 };
    sum[name] = { begun: counts.begun + begun, felt: counts.felt + felt };
  }
}
