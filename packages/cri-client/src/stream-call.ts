import type { GrpcStream } from '@nodeagent/grpc';

/** The start and end of a streaming call. */
export interface StreamCall<T> {
  /** Starts the call; called by the first `next()`. */
  begin(): GrpcStream<T>;
  /** The error to fail with. */
  errorOf(cause: unknown): unknown;
  /** Called once after the call has ended, with the number of messages and the error, if any. */
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
