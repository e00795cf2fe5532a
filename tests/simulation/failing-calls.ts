import type { CallRate } from './call-log.js';
import { createFailingNode, type Failing } from './failing-node.js';
import { createPods, createScene, type Phase, phases, problemsOf, type Scene } from './failing-phases.js';

/** One run: a call fails for ten minutes of a phase. */
export interface FailingRun {
  phase: string;
  evented: 'auto' | 'off';
  /** Undefined: no call fails. */
  failing: Failing | undefined;
}

export interface FailingOutcome extends FailingRun {
  /** The calls of each object while the call failed, the busiest first. */
  rates: readonly CallRate[];
  /** Repetitions that were too fast, and what was not as it should be at the end. */
  problems: readonly string[];
  /** Virtual seconds from the end of the failures until all was as it should be. */
  healedAfterSeconds: number;
}

const settleMs = 120_000;
const failMs = 600_000;
const healStepMs = 15_000;
/** Back-offs of crashes and image pulls last up to five minutes, with jitter of a half. */
const healMs = 600_000;

const phaseOf = (name: string): Phase => {
  const phase = phases.find((each) => each.name === name);
  if (phase === undefined) throw new Error(`no such phase: ${name}`);
  return phase;
};

/** Executes one run. */
export async function runFailing(run: FailingRun): Promise<FailingOutcome> {
  const phase = phaseOf(run.phase);
  const target = await createFailingNode(run.evented);
  const scene = createScene(target);
  if (phase.hasPods) createPods(scene);
  await target.advance(settleMs);
  const { log } = target;
  const before = problemsOf(scene);
  if (before.length > 0) throw new Error(`${run.phase}: before the fault: ${before.join(', ')}`);
  log.clear();
  target.setFailing(run.failing);
  const since = target.cluster.clock.monotonic();
  target.breakStreams();
  await phase.happen(scene);
  await target.advance(failMs - (target.cluster.clock.monotonic() - since));
  const rates = log.rates();
  target.setFailing(undefined);
  const healedAfterSeconds = await heal(scene);
  const problems = [...new Set(log.violations), ...problemsOf(scene)];
  const timers = await target.stop();
  if (timers > 0) problems.push(`${timers} timers remain after the agent's stop`);
  return { ...run, rates, problems, healedAfterSeconds };
}

async function heal(scene: Scene): Promise<number> {
  let passedMs = 0;
  while (passedMs < healMs && problemsOf(scene).length > 0) {
    await scene.target.advance(healStepMs);
    passedMs += healStepMs;
  }
  return passedMs / 1_000;
}

const variants = (['auto', 'off'] as const).flatMap((evented) => (['refused', 'answer lost'] as const).map((kind) => ({ evented, kind })));

/**
 * Each call that the agent makes in a phase fails in that phase; a call that it does not make in an undisturbed run of the phase would fail
 * there without being made. Once for each call and phase, with the ways in which calls fail and with container events on and off in turn;
 * with `isComplete` in all of these.
 */
export async function allRuns(isComplete: boolean): Promise<FailingRun[]> {
  const runs: FailingRun[] = [];
  for (const { name: phase } of phases) {
    const calls = new Map<string, Set<string>>();
    for (const evented of ['auto', 'off'] as const) {
      const { rates } = await runFailing({ phase, evented, failing: undefined });
      calls.set(evented, new Set(rates.map(({ name }) => name)));
    }
    const names = [...new Set([...calls.values()].flatMap((each) => [...each]))].sort();
    for (const [index, call] of names.entries()) {
      const made = variants.filter(({ evented }) => calls.get(evented)?.has(call));
      const chosen = isComplete ? made : made.slice(index % made.length).slice(0, 1);
      runs.push(...chosen.map(({ evented, kind }) => ({ phase, evented, failing: { call, kind } })));
    }
  }
  return runs;
}
