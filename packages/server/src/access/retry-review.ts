import type { Clock, Random } from '@nodeagent/api';

export interface RetryOptions {
  clock: Clock;
  random: Random;
  signal: AbortSignal;
}

const attempts = 5;

/** Sends a review up to 5 times while it fails with a retryable error: after 0.5 s, then after pauses that grow by half, with jitter. */
export async function retryReview<T>(send: () => Promise<T>, { clock, random, signal }: RetryOptions): Promise<T> {
  let pause = 500;
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt === attempts || signal.aborted || (error as { retryable?: unknown }).retryable !== true) throw error;
    }
    await clock.sleep(pause * (1 + 0.2 * random()), signal);
    pause *= 1.5;
  }
}
