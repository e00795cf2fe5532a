import { abortable, type Clock, NodeAgentError } from '@nodeagent/api';
import { evictionErrorCodes } from './errors.js';

/** The answer of a call, or a rejection with `EvictionTimeout` after that time, whatever becomes of the call. */
export async function giveUpAfter<T>(
  ms: number,
  what: string,
  clock: Clock,
  signal: AbortSignal,
  call: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const late = new AbortController();
  const timer = clock.setTimeout(() => {
    late.abort(new NodeAgentError(evictionErrorCodes.timeout, `no answer within ${ms} ms: ${what}`, { retryable: true }));
  }, ms);
  const limited = AbortSignal.any([signal, late.signal]);
  try {
    return await abortable((async () => call(limited))(), limited);
  } finally {
    timer.cancel();
  }
}
