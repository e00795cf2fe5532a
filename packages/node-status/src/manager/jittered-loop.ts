import type { Clock, Random } from '@nodeagent/api';

/** How much longer than its period a heartbeat may wait, so that nodes do not all report at once. */
const jitterFactor = 0.04;

/**
 * Works at once, then each time a period and up to 4 % of it have passed since the work ended; ends when the signal aborts. `periodMs` is
 * asked after each time.
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

/** Waits `first`, twice that, and so on up to `longest` milliseconds: one wait a call. Rejects with the signal's reason. */
export function growingPause(clock: Clock, first: number, longest: number, signal: AbortSignal): () => Promise<void> {
  let next = first;
  return () => {
    const pause = next;
    next = Math.min(2 * next, longest);
    return clock.sleep(pause, signal);
  };
}
