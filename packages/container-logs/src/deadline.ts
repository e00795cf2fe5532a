import { type Clock, NodeAgentError } from '@nodeagent/api';
import type { CallOptions } from '@nodeagent/cri-api';
import { containerLogsErrorCodes } from './errors.js';

/** Calls the runtime and waits no longer than `timeoutMs`, whether it ends the call or not. */
export async function withDeadline<T>(
  clock: Clock,
  { call, timeoutMs, signal }: { call: string; timeoutMs: number; signal: AbortSignal },
  run: (options: CallOptions) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  let end: (reason: unknown) => void = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    end = (reason) => {
      reject(reason);
      controller.abort(reason);
    };
  });
  const message = `${call}: the runtime did not answer within ${timeoutMs / 1000} s`;
  const timer = clock.setTimeout(
    () => end(new NodeAgentError(containerLogsErrorCodes.deadlineExceeded, message, { retryable: true })),
    timeoutMs,
  );
  const onAbort = () => end(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([ended, run({ signal: controller.signal, timeoutMs })]);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
