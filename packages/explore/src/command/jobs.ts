import type { JobLimits, JobOutcome } from './job.js';

/** Runs a job in another process; aborting `signal` ends that process. */
export type RunElsewhere = (limits: JobLimits, onProgress: (schedules: number) => void, signal: AbortSignal) => Promise<JobOutcome>;

/** Shares a search among processes. The first failure ends it. */
export async function runJobs(
  jobs: number,
  { schedules = 1, ...limits }: JobLimits,
  runElsewhere: RunElsewhere,
  onProgress: (schedules: number) => void,
): Promise<JobOutcome> {
  const counts = new Array<number>(jobs).fill(0);
  const total = () => counts.reduce((sum, count) => sum + count, 0);
  const ended = new AbortController();
  const run = async (index: number): Promise<JobOutcome | undefined> => {
    const share = { index, count: jobs };
    const count = Math.ceil((schedules - index) / jobs);
    const progress = (done: number) => {
      counts[index] = done;
      onProgress(total());
    };
    try {
      const outcome = await runElsewhere({ ...limits, schedules: count, share }, progress, ended.signal);
      counts[index] = outcome.schedules;
      if (outcome.failure) ended.abort();
      return outcome;
    } catch (error) {
      // A process that was ended because another one found a failure.
      if (ended.signal.aborted) return undefined;
      ended.abort();
      throw error;
    }
  };
  const outcomes = (await Promise.all(counts.map((_, index) => run(index)))).filter((each) => each !== undefined);
  const failure = outcomes.find((outcome) => outcome.failure)?.failure;
  return { schedules: total(), isExhausted: outcomes.every(({ isExhausted }) => isExhausted), ...(failure && { failure }) };
}
