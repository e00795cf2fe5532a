import { abortable, type Clock, NodeAgentError, withController } from '@nodeagent/api';
import { imageGcErrorCodes } from './errors.js';

export interface CallBounds {
  clock: Clock;
  timeoutMs: number;
  signal: AbortSignal;
}

/** The answer of a call, or a rejection with `ImageGcTimeout` after that time, whatever becomes of the call. */
export async function boundedCall<T>(what: string, bounds: CallBounds, call: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal } = bounds;
  return withController(signal, async (own) => {
    const timer = clock.setTimeout(() => {
      own.abort(new NodeAgentError(imageGcErrorCodes.timeout, `no answer within ${timeoutMs} ms: ${what}`, { retryable: true }));
    }, timeoutMs);
    try {
      return await abortable((async () => call(own.signal))(), own.signal);
    } finally {
      timer.cancel();
    }
  });
}
