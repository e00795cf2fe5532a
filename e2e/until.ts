import { setTimeout as sleep } from 'node:timers/promises';

/** Asks every 200 ms until the answer is there; fails after `timeoutMs` saying what it waited for. */
export async function until<T>(what: string, ask: () => Promise<T | undefined | false>, timeoutMs = 60_000): Promise<T> {
  const limit = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > limit) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await sleep(200);
  }
}
