import { type Clock, withDeadline } from '@nodeagent/api';
import { frozenCopy } from '@nodeagent/api/helpers';
import type { CallOptions } from '@nodeagent/cri-api';
import { deadlineExceeded } from './errors.js';

/** Wraps the service methods: each call gets a frozen copy of the request, and the caller's signal and deadline. */
export interface Calls {
  /** A unary call. Rejects with the reason of an already aborted signal. */
  unary<Request, Answer>(
    method: string,
    answer: (request: Request, signal?: AbortSignal) => Promise<Answer> | Answer,
  ): (request: Request, options?: CallOptions) => Promise<Answer>;
  /** A listing as a stream of one message. */
  listing<Request, Answer>(
    method: string,
    answer: (request: Request, signal?: AbortSignal) => Promise<Answer> | Answer,
  ): (request: Request, options?: CallOptions) => AsyncIterable<Answer>;
}

export function createCalls(clock: Clock): Calls {
  const unary: Calls['unary'] =
    (method, answer) =>
    async (request, { signal, timeoutMs } = {}) => {
      const own = frozenCopy(request);
      signal?.throwIfAborted();
      if (!timeoutMs) return answer(own, signal);
      const error = () => deadlineExceeded(`${method}: no result within ${timeoutMs} ms`);
      return withDeadline({ clock, timeoutMs, signal, error }, (limited) => answer(own, limited));
    };
  return {
    unary,
    listing: (method, answer) => {
      const call = unary(method, answer);
      return async function* (request, options) {
        yield await call(request, options);
      };
    },
  };
}

/** A stream that fails at its first item. */
export function failingStream(error: Error): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}
