import type { Clock } from '@nodeagent/api';

/** Waits until the work is done, but no longer than that; rejects as the work does, or with the signal's reason. The work goes on. */
export async function waitAtMost(ms: number, work: Promise<unknown>, clock: Pick<Clock, 'sleep'>, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  try {
    await Promise.race([work, clock.sleep(ms, AbortSignal.any([signal, done.signal]))]);
  } finally {
    done.abort();
  }
}
