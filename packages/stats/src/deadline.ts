import { abortable, type Clock, NodeAgentError, withController } from '@nodeagent/api';
import { statsErrorCodes } from './errors.js';

/** How long something may take, and what else ends it. */
export interface Bounds {
  clock: Clock;
  timeoutMs: number;
  signal: AbortSignal;
}

/** What `work` gives, or `CRI_DEADLINE_EXCEEDED` if it takes too long, whether it heeds its signal or not. */
export async function withDeadline<T>(
  what: string,
  { clock, timeoutMs, signal }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withController(signal, async (own) => {
    const timer = clock.setTimeout(() => {
      const message = `${what}: no answer within ${timeoutMs / 1000} s`;
      own.abort(new NodeAgentError(statsErrorCodes.deadlineExceeded, message, { retryable: true }));
    }, timeoutMs);
    try {
      return await abortable(work(own.signal), own.signal);
    } finally {
      timer.cancel();
    }
  });
}
