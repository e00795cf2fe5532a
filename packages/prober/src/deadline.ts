import type { Clock } from '@nodeagent/api';

/** Reason of a signal that aborted because the time was over, and not because nobody wants the result any more. */
export const timeIsOver = new Error('context deadline exceeded');

/** Runs `action` with a signal that aborts after `ms` milliseconds with {@link timeIsOver}, or with the outer signal's reason. */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  outer: AbortSignal | undefined,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const timer = clock.setTimeout(() => controller.abort(timeIsOver), ms);
  const abort = () => controller.abort(outer?.reason);
  outer?.addEventListener('abort', abort, { once: true });
  try {
    return await action(controller.signal);
  } finally {
    timer.cancel();
    outer?.removeEventListener('abort', abort);
  }
}
