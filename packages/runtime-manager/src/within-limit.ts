import { type Clock, withController } from '@nodeagent/api';

/** Waits for `done`, at most `limitSeconds`; rejects as `done` does, or with the reason of `ended` when that aborts first. */
export async function withinLimit(
  clock: Clock,
  limitSeconds: number,
  ended: AbortSignal | undefined,
  done: Promise<unknown>,
): Promise<void> {
  await withController(ended, async (own) => {
    const limit = clock.sleep(limitSeconds * 1000, own.signal);
    try {
      await Promise.race([done, limit]);
    } finally {
      limit.catch(() => {});
      own.abort();
    }
  });
}
