import type { Clock } from '@nodeagent/api';

/** Gives `work` a signal that aborts with `late()` after `ms` milliseconds, or with the caller's reason; leaves nothing behind. */
export async function withDeadline<T>(
  { clock, ms, signal, late }: { clock: Clock; ms: number; signal: AbortSignal | undefined; late: () => Error },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer = clock.setTimeout(() => controller.abort(late()), ms);
  try {
    return await work(controller.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', abort);
  }
}
