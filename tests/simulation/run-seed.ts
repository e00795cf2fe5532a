import { errorMessage } from '@nodeagent/api';
import { type Action, actionsOf, type RunOptions } from './actions.js';
import { allRemoved, desiredPodsRun, invariants, newMemory, settleMs } from './invariants.js';
import { type Coverage, type Mutation, SimulatedNode } from './simulated-node.js';

/** The result of a run. */
export interface Outcome {
  /** Pods that were created. */
  createdPods: number;
  coverage: Coverage;
  /** Events that the agents wrote. */
  events: number;
  /** Images that the agents removed. */
  removedImages: number;
  /** How often an invariant was checked. */
  checks: number;
  /** The first violation. */
  failure?: Failure;
  trace: readonly string[];
}

export interface Failure {
  invariant: string;
  what: string;
  /** Number of completed actions. */
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
const afterStopMs = 120_000;

/** Executes the actions of a seed one after the other and checks the invariants after each. Then faults stop: all desired pods must run, and after the deletion of all pods everything must be removed.
 */
export async function runSeed(options: RunSeedOptions): Promise<Outcome> {
  const { actions = actionsOf(options) } = options;
  const simulation = await SimulatedNode.create(options);
  const memory = newMemory();
  let checks = 0;
  let step = 0;
  let failure: Failure | undefined;
  const check = async (more: typeof invariants = {}): Promise<boolean> => {
    const snapshot = await simulation.inspect();
    for (const [invariant, holds] of Object.entries({ ...invariants, ...more })) {
      checks++;
      const [what] = holds(snapshot, memory);
      if (what !== undefined) failure ??= { invariant, what, step };
    }
    simulation.book.clear();
    return failure === undefined;
  };
  const pass = async (ms: number): Promise<boolean> => {
    for (let left = ms; left > 0; left -= calmStepMs) {
      await simulation.cluster.advance(calmStepMs);
      if (!(await check())) return false;
    }
    return true;
  };
  const live = async (): Promise<void> => {
    for (const action of actions) {
      step++;
      await simulation.perform(action);
      if (!(await check())) return;
    }
    simulation.stopFaults();
    if (!(await pass(settleMs)) || !(await check({ 'desired pods run': desiredPodsRun }))) return;
    simulation.deleteAllPods();
    if (!(await pass(clearedMs)) || !(await check({ 'all removed': allRemoved }))) return;
    if (simulation.book.totalEvents === 0) failure = { invariant: 'events written', what: 'no event reached the API server', step };
    const timers = await simulation.stop();
    await simulation.cluster.advance(afterStopMs);
    if (timers > 0) failure = { invariant: 'all removed', what: `${timers} timers remain after the agent's stop`, step };
  };
  try {
    await live();
  } catch (error) {
    failure ??= { invariant: 'no error', what: errorMessage(error), step };
  } finally {
    await simulation.close();
  }
  return {
    createdPods: simulation.createdPods,
    coverage: simulation.coverage,
    events: simulation.book.totalEvents,
    removedImages: simulation.book.totalImageRemovals,
    checks,
    trace: simulation.cluster.trace.lines,
    ...(failure && { failure }),
  };
}
