import { type Clock, NodeAgentError } from '@nodeagent/api';
import { nodeStatusErrorCodes } from '../errors.js';

/**
 * A call that gets a signal which aborts after `timeoutMs`, or when the caller's does. Its promise is left then, so that a call that
 * ignores its signal holds up nobody.
 */
export async function timedCall<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer = clock.setTimeout(() => {
    const message = `no answer from the API server within ${timeoutMs} ms`;
    controller.abort(new NodeAgentError(nodeStatusErrorCodes.callTimedOut, message, { retryable: true }));
  }, timeoutMs);
  try {
    return await new Promise<T>((resolve, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
      call(controller.signal).then(resolve, reject);
    });
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', abort);
  }
}
