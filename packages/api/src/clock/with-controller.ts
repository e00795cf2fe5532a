/**
 * Runs work with a separate controller that also aborts when `signal` does. Removes its listener from `signal` when the work has ended,
 * because one signal may serve thousands of calls (`AbortSignal.any` would leave entries behind). Rejects with the signal's reason, without
 * starting the work, if the signal has already aborted.
 */
export async function withController<T>(signal: AbortSignal | undefined, work: (own: AbortController) => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const abort = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(own);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
