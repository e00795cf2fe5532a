import { requirePositive, systemClock } from '@nodeagent/api';
import { seededRandom } from '@nodeagent/testing';
import { parseSchedule, type Schedule } from './disturbance.js';
import { withSameKeys } from './http-entry.js';
import { standardInvariants } from './invariants/invariants.js';
import type { ExploreOptions, SearchOptions, Setup } from './options.js';
import { failureText, testText } from './report.js';
import type { Broken, Run } from './run.js';
import { runScenario } from './run-scenario.js';
import { Search } from './search.js';

/** The shortest schedule found that breaks an invariant. */
export interface Failure {
  schedule: Schedule;
  broken: readonly Broken[];
  run: Run;
  /** What broke, the schedule, the timeline and the seed, as text. */
  text: string;
  /** A test file that repeats the run. */
  test: string;
}

/** The outcome of a search. */
export interface Exploration {
  /** Number of runs, with the undisturbed one. */
  schedules: number;
  /** Number of schedules of one disturbance that made no difference, and were not combined with others. */
  pruned: number;
  /** Whether no schedule is left that can differ. */
  exhausted: boolean;
  /** Real time, in milliseconds. */
  elapsedMs: number;
  /** Undefined if every run kept all invariants. */
  failure?: Failure;
}

/**
 * Runs the same scenario under the schedules that real clusters produce, until one breaks an invariant: first undisturbed, then with each
 * disturbance alone, then with several at random. Throws `InvalidOption`, and what `setup` or `actions` throw.
 */
export async function explore(setup: Setup, given: ExploreOptions & SearchOptions): Promise<Exploration> {
  const options: ExploreOptions & SearchOptions = withSameKeys(given);
  const { schedules = 1_000, timeLimitMs = Number.POSITIVE_INFINITY, onProgress = () => {}, seed = 1, share } = options;
  requirePositive('schedules', schedules, { integer: true });
  const startedAt = systemClock.monotonic();
  const elapsed = () => systemClock.monotonic() - startedAt;
  const undisturbed = await runScenario(setup, options, []);
  const search = new Search(undisturbed, seededRandom(seed), share);
  let count = 1;
  let run: Run = undisturbed;
  let exhausted = false;
  let broken = brokenBy(run, undisturbed, options);
  while (broken.length === 0 && count < schedules && elapsed() < timeLimitMs) {
    const schedule = search.next();
    if (schedule === undefined) {
      exhausted = true;
      break;
    }
    run = await runScenario(setup, options, schedule);
    count++;
    broken = brokenBy(run, undisturbed, options);
    search.ran(run);
    onProgress({ schedules: count, planned: schedules });
  }
  const outcome = { schedules: count, pruned: search.pruned, exhausted, elapsedMs: elapsed() };
  if (broken.length === 0) return outcome;
  const shortest = await shorten(
    run,
    (shorter) => runScenario(setup, options, shorter),
    (each) => brokenBy(each, undisturbed, options),
  );
  const found = { ...shortest, schedule: shortest.run.schedule };
  return { ...outcome, failure: { ...found, text: failureText(found, seed), test: testText(found, seed) } };
}

/** A run under one schedule, such as one that `explore` reported: `crash@12+lag@14:pods`. */
export async function replay(setup: Setup, given: ExploreOptions, schedule: string): Promise<{ run: Run; broken: Broken[] }> {
  const options = withSameKeys(given);
  const undisturbed = await runScenario(setup, options, []);
  const planned = parseSchedule(schedule);
  const run = planned.length === 0 ? undisturbed : await runScenario(setup, options, planned);
  return { run, broken: brokenBy(run, undisturbed, options) };
}

function brokenBy(run: Run, undisturbed: Run, { invariants, normalize }: ExploreOptions): Broken[] {
  return (invariants ?? standardInvariants(normalize)).flatMap((invariant) => {
    const message = invariant.check(run, undisturbed);
    return message === undefined ? [] : [{ invariant: invariant.name, message }];
  });
}

/** Leaves out disturbances as long as the run still breaks an invariant. */
async function shorten(
  first: Run,
  again: (schedule: Schedule) => Promise<Run>,
  check: (run: Run) => Broken[],
): Promise<{ run: Run; broken: Broken[] }> {
  let run = first;
  for (let left = 0; run.schedule.length > 1 && left < run.schedule.length; ) {
    const shorter = await again(run.schedule.filter((_, index) => index !== left));
    if (check(shorter).length > 0) run = shorter;
    else left++;
  }
  return { run, broken: check(run) };
}
