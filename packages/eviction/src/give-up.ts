import { abortable, type Clock, NodeAgentError, withController } from '@nodeagent/api';
import { evictionErrorCodes } from './errors.js';

/** The answer of a call, or a rejection with `EvictionTimeout` after that time, whatever becomes of the call. */
export async function giveUpAfter<T>(
  ms: number,
  what: string,
  clock: Clock,
  signal: AbortSignal,
  call: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  return withController(signal, async (own) => {
    const timer = clock.setTimeout(() => {
      own.abort(new NodeAgentError(evictionErrorCodes.timeout, `no answer within ${ms} ms: ${what}`, { retryable: true }));
    }, ms);
    try {
      return await abortable((async () => call(own.signal))(), own.signal);
    } finally {
      timer.cancel();
    }
  });
}
