import { setTimeout as sleep } from 'node:timers/promises';

/** Asks every 200 ms until the answer is there; fails after `timeoutMs` saying what it waited for and the last error of asking. */
export async function until<T>(what: string, ask: () => Promise<T | undefined | false>, timeoutMs = 60_000): Promise<T> {
  const limit = Date.now() + timeoutMs;
  let lastError: unknown;
  while (Date.now() < limit) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      lastError = error;
    }
    await sleep(200);
  }
  throw new Error(`waited ${timeoutMs} ms for ${what}`, { cause: lastError });
}
