import type { Clock } from '@nodeagent/api';

/** Waits for `done`, at most `limitSeconds`; rejects as `done` does, or with the reason of `ended` when that aborts first. */
export async function withinLimit(
  clock: Clock,
  limitSeconds: number,
  ended: AbortSignal | undefined,
  done: Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  const limit = clock.sleep(limitSeconds * 1000, ended ? AbortSignal.any([over.signal, ended]) : over.signal);
  try {
    await Promise.race([done, limit]);
  } finally {
    limit.catch(() => {});
    over.abort();
  }
}
