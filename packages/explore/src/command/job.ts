import { explore } from '../explore.js';
import type { ExploreOptions, SearchOptions, Setup } from '../options.js';

/** A scenario as its module exports it. */
export interface Scenario {
  setup: Setup;
  options: ExploreOptions;
}

/** What a process is to search. */
export type JobLimits = Pick<SearchOptions, 'schedules' | 'timeLimitMs' | 'share'> & { seed?: number };

/** The outcome of one process; plain data. */
export interface JobOutcome {
  schedules: number;
  isExhausted: boolean;
  /** The report and the test of a failure. */
  failure?: { text: string; test: string };
}

/** Searches in this process. `onProgress` is called with the number of schedules so far. */
export async function runJob(
  { setup, options }: Scenario,
  limits: JobLimits,
  onProgress: (schedules: number) => void,
): Promise<JobOutcome> {
  const { schedules, exhausted, failure } = await explore(setup, {
    ...options,
    ...limits,
    onProgress: ({ schedules }) => onProgress(schedules),
  });
  return { schedules, isExhausted: exhausted, ...(failure && { failure: { text: failure.text, test: failure.test } }) };
}
