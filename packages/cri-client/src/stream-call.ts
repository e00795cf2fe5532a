import type { GrpcStream } from '@nodeagent/grpc';

/** How a streaming call starts and what happens with its end. */
export interface StreamCall<T> {
  /** Called with the first `next()`. */
  begin(): GrpcStream<T>;
  /** The error to fail with. */
  errorOf(cause: unknown): unknown;
  /** Called once a call that began is over, with the number of messages and the error it failed with. */
  ended(messages: number, error?: unknown): void;
}

/** The messages of one streaming call. `return()` cancels the call at once, also while `next()` waits. */
export function readStream<T>({ begin, errorOf, ended }: StreamCall<T>): AsyncIterator<T, undefined> {
  let stream: GrpcStream<T> | undefined;

  async function* read(): AsyncGenerator<T, undefined> {
    let count = 0;
    try {
      stream = begin();
      for await (const message of stream) {
        count++;
        yield message;
      }
    } catch (cause) {
      const error = errorOf(cause);
      ended(count, error);
      throw error;
    }
    ended(count);
    return undefined;
  }

  const messages = read();
  return {
    next: () => messages.next(),
    async return() {
      await stream?.return();
      await messages.return(undefined);
      return { done: true, value: undefined };
    },
  };
}
