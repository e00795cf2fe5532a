import { abandonAtDeadline, type Clock, NodeAgentError } from '@nodeagent/api';
import { nodeStatusErrorCodes } from '../errors.js';

/** Calls the API server with a timeout, and does not wait for a call that ignores its signal. */
export function timedCall<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const message = `no answer from the API server within ${timeoutMs} ms`;
  const error = () => new NodeAgentError(nodeStatusErrorCodes.callTimedOut, message, { retryable: true });
  return abandonAtDeadline({ clock, timeoutMs, signal, error }, call);
}
