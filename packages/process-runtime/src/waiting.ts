import type { Clock } from '@nodeagent/api';
import type { CallOptions } from '@nodeagent/cri-api';
import { deadlineExceeded } from './errors.js';

/** The longest time that a timer of Node can wait. */
const maxTimerMs = 2 ** 31 - 1;

/** Waits until `done` settles, at most `ms`; whether it did. Rejects with the signal's reason, and as `done` does. */
export async function settlesWithin(clock: Clock, done: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<boolean> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const abort = () => stop.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const timeout = clock.sleep(Math.min(ms, maxTimerMs), stop.signal).then(() => false);
    return await Promise.race([done.then(() => true), timeout]);
  } finally {
    signal?.removeEventListener('abort', abort);
    stop.abort();
  }
}

/** Runs a call under the caller's signal and time limit: what it waits for ends with either, what it has begun goes on. */
export async function withCallLimits<T>(
  clock: Clock,
  method: string,
  { signal, timeoutMs }: CallOptions,
  call: (signal?: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  if (!timeoutMs) return call(signal);
  const limit = new AbortController();
  const timer = clock.setTimeout(() => limit.abort(deadlineExceeded(`${method}: no result within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await call(signal ? AbortSignal.any([signal, limit.signal]) : limit.signal);
  } finally {
    timer.cancel();
  }
}
