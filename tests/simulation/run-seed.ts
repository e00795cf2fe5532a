import { errorMessage } from '@nodeagent/api';
import { type Action, actionsOf, type RunOptions } from './actions.js';
import { invariants, newMemory, nothingLeft, settleMs, wantedRuns } from './invariants.js';
import { type Coverage, type Mutation, World } from './world.js';

/** What came of a run. */
export interface Outcome {
  /** Pods that were created. */
  lives: number;
  coverage: Coverage;
  /** How often an invariant was checked. */
  checks: number;
  /** The first thing that was wrong. */
  failure?: Failure;
  trace: readonly string[];
}

export interface Failure {
  invariant: string;
  what: string;
  /** Actions that had been done. */
  step: number;
}

export interface RunSeedOptions extends RunOptions {
  /** Default those of the seed. */
  actions?: readonly Action[];
  mutation?: Mutation | undefined;
  traceLimit?: number;
}

const clearedMs = 480_000;
const calmStepMs = 20_000;
const longGoneMs = 120_000;

/**
 * Does the actions of a seed one after the other and looks after each whether all is as it must be. Then faults end: what is wanted must
 * run, and when all pods are taken away nothing must be left.
 */
export async function runSeed(options: RunSeedOptions): Promise<Outcome> {
  const { actions = actionsOf(options) } = options;
  const world = await World.begin(options);
  const memory = newMemory();
  let checks = 0;
  let step = 0;
  let failure: Failure | undefined;
  const check = async (more: typeof invariants = {}): Promise<boolean> => {
    const snapshot = await world.look();
    for (const [invariant, holds] of Object.entries({ ...invariants, ...more })) {
      checks++;
      const [what] = holds(snapshot, memory);
      if (what !== undefined) failure ??= { invariant, what, step };
    }
    world.book.forget();
    return failure === undefined;
  };
  const pass = async (ms: number): Promise<boolean> => {
    for (let left = ms; left > 0; left -= calmStepMs) {
      await world.cluster.advance(calmStepMs);
      if (!(await check())) return false;
    }
    return true;
  };
  const live = async (): Promise<void> => {
    for (const action of actions) {
      step++;
      await world.perform(action);
      if (!(await check())) return;
    }
    world.quieten();
    if (!(await pass(settleMs)) || !(await check({ 'what is wanted runs': wantedRuns }))) return;
    world.clear();
    if (!(await pass(clearedMs)) || !(await check({ 'nothing left': nothingLeft }))) return;
    const timers = await world.end();
    await world.cluster.advance(longGoneMs);
    if (timers > 0) failure = { invariant: 'nothing left', what: `${timers} timers are left after the agent's end`, step };
  };
  try {
    await live();
  } catch (error) {
    failure ??= { invariant: 'no error', what: errorMessage(error), step };
  }
  return { lives: world.lives, coverage: world.coverage, checks, trace: world.cluster.trace.lines, ...(failure && { failure }) };
}
