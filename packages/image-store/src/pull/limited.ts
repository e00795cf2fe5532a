import { withController } from '@nodeagent/api';

/** Does the work for each item, at most `limit` at once. The first failure aborts the others, and is thrown once all have settled. */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await withController(signal, async (own) => {
    const rest = [...items];
    const worker = async () => {
      for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
        own.signal.throwIfAborted();
        await work(item, own.signal).catch((error) => {
          own.abort(error);
          throw error;
        });
      }
    };
    await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker));
    own.signal.throwIfAborted();
  });
}

/** Runs work for one key after the other. The signal ends the wait for a turn. */
export function createKeyedTurns(): (key: string, signal: AbortSignal, work: () => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return async (key, signal, work) => {
    const before = last.get(key);
    const turn = (async () => {
      await before;
      signal.throwIfAborted();
      await work();
    })();
    const settled = turn.catch(() => undefined);
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return turn;
  };
}
