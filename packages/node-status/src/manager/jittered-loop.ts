import type { Clock, Random } from '@nodeagent/api';

/** Maximum jitter of a heartbeat as a part of its period, so that nodes do not all report at once. */
const jitterFactor = 0.04;

/**
 * Runs immediately, then again after a period plus up to 4 % of it since the end of the last run; ends when the signal aborts. Reads
 * `periodMs` after each run.
 */
export async function jitteredLoop(
  work: () => Promise<void>,
  { clock, random, periodMs, signal }: { clock: Clock; random: Random; periodMs: () => number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await work();
    await clock.sleep(periodMs() * (1 + jitterFactor * random()), signal).catch(() => {});
  }
}

/** Exponential back-off: each call waits `first`, then twice that, up to `max` milliseconds. Rejects with the signal's reason. */
export function createBackOff(clock: Clock, first: number, max: number, signal: AbortSignal): () => Promise<void> {
  let next = first;
  return () => {
    const backOff = next;
    next = Math.min(2 * next, max);
    return clock.sleep(backOff, signal);
  };
}
