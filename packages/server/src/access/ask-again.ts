import type { Clock, Random } from '@nodeagent/api';

export interface AskAgainOptions {
  clock: Clock;
  random: Random;
  signal: AbortSignal;
}

const attempts = 5;

/** Asks the API server up to 5 times while it fails in a way that may pass: 0.5 s after the first time, each pause half as long again. */
export async function askAgain<T>(ask: () => Promise<T>, { clock, random, signal }: AskAgainOptions): Promise<T> {
  let pause = 500;
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === attempts || signal.aborted || (error as { retryable?: unknown }).retryable !== true) throw error;
    }
    await clock.sleep(pause * (1 + 0.2 * random()), signal);
    pause *= 1.5;
  }
}
