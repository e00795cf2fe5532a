/**
 * Work with a controller of its own that also aborts as `signal` does. When the work has ended nothing of it is left on `signal`, which may
 * outlive thousands of it (`AbortSignal.any` would leave something). Rejects with the signal's reason, without beginning, if that aborted before.
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
