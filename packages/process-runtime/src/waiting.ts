import { type Clock, withController } from '@nodeagent/api';
import type { CallOptions } from '@nodeagent/cri-api';
import { deadlineExceeded } from './errors.js';

/** The longest time that a timer of Node can wait. */
const maxTimerMs = 2 ** 31 - 1;

/** Waits until `done` settles, at most `ms`; whether it did. Rejects with the signal's reason, and as `done` does. */
export async function settlesWithin(clock: Clock, done: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<boolean> {
  return withController(signal, async (own) => {
    try {
      const timeout = clock.sleep(Math.min(ms, maxTimerMs), own.signal).then(() => false);
      return await Promise.race([done.then(() => true), timeout]);
    } finally {
      own.abort();
    }
  });
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
  return withController(signal, async (own) => {
    const timer = clock.setTimeout(() => own.abort(deadlineExceeded(`${method}: no result within ${timeoutMs} ms`)), timeoutMs);
    try {
      return await call(own.signal);
    } finally {
      timer.cancel();
    }
  });
}
