import { type Clock, withController } from '@nodeagent/api';

/** Waits until the work is done, but no longer than that; rejects as the work does, or with the signal's reason. The work goes on. */
export async function waitAtMost(ms: number, work: Promise<unknown>, clock: Pick<Clock, 'sleep'>, signal: AbortSignal): Promise<void> {
  await withController(signal, async (own) => {
    try {
      await Promise.race([work, clock.sleep(ms, own.signal)]);
    } finally {
      own.abort();
    }
  });
}
