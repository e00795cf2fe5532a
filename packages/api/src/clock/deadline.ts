import type { Clock } from '../contracts/clock.js';
import { abortable } from './abortable.js';
import { withController } from './with-controller.js';

/** A time limit for one piece of work. */
export interface Deadline {
  clock: Pick<Clock, 'setTimeout'>;
  /** The deadline, in milliseconds from the call. At once if not positive. */
  timeoutMs: number;
  /** Creates the reason with which the work's signal aborts at the deadline. Called only then. */
  error: () => Error;
  /** The caller's signal: the work's signal aborts with its reason. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs `work` with a signal that aborts at the deadline, or when the caller's signal aborts, and waits until the work settles: as a context
 * with a deadline does in Go. The outcome is that of the work, so the call waits past the deadline for work that ignores its signal; {@link
 * abandonAtDeadline} does not wait.
 *
 * Rejects with the caller's reason, without starting the work, if the caller's signal has already aborted. Once settled, it leaves neither a
 * timer nor a listener behind.
 */
export async function withDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const { clock, timeoutMs, error, signal } = deadline;
  return withController(signal, async (own) => {
    const timer = clock.setTimeout(() => own.abort(error()), timeoutMs);
    try {
      return await work(own.signal);
    } finally {
      timer.cancel();
    }
  });
}

/**
 * {@link withDeadline} that does not wait for the work: it rejects as soon as the signal aborts, with `error()` or the caller's reason. The
 * abandoned work may continue; its result or error is dropped.
 */
export async function abandonAtDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  return withDeadline(deadline, (signal) => abortable((async () => work(signal))(), signal));
}
