import type { ClientReadableStream } from '@grpc/grpc-js';
import type { RunningCall } from './connection.js';
import type { GrpcStream } from './grpc-stream.js';

/** A streaming call that has started. */
interface StreamCall<T> extends Pick<RunningCall, 'failed' | 'cancelWith'> {
  readonly messages: ClientReadableStream<T>;
}

/** The messages of one streaming call. The first `next()` calls `start`. */
export function readStream<T>(start: () => Promise<StreamCall<T>>): GrpcStream<T> {
  let returned = false;
  let cancel: () => void = () => {};

  async function* read(): AsyncGenerator<T, undefined> {
    try {
      yield* receive(await start());
    } catch (error) {
      if (!returned) throw error;
    }
    return undefined;
  }

  async function* receive({ messages, cancelWith, failed }: StreamCall<T>): AsyncGenerator<T, undefined> {
    cancel = () => messages.cancel();
    const release = cancelWith(cancel);
    let failure: { error: unknown } | undefined;
    let complete = false;
    let notify: () => void = () => {};
    messages.on('readable', () => notify());
    messages.on('end', () => {
      complete = true;
      notify();
    });
    messages.on('error', (error) => {
      failure = { error };
      notify();
    });
    if (returned) messages.cancel();
    try {
      while (true) {
        const message: T | null = messages.read();
        if (message !== null) yield message;
        else if (failure) throw failed(failure.error);
        else if (complete) return undefined;
        else
          await new Promise<void>((resolve) => {
            notify = resolve;
          });
      }
    } finally {
      release();
      messages.cancel();
    }
  }

  const stream = read();
  return {
    next: () => stream.next(),
    async return() {
      returned = true;
      cancel();
      await stream.return(undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
