import { Metadata } from '@grpc/grpc-js';
import type { CriMethodCodec } from './method.js';
import { asIs, cancelWith, encodeRequest, type UnaryCallContext } from './unary-call.js';

/**
 * The messages of one streaming call, which begins with the first `next()`. Messages are taken from the connection as they are asked
 * for: a consumer that stops reading makes the runtime stop sending. `return()` cancels the call at once, also while `next()` waits.
 *
 * @param begin makes the call's context when it begins
 * @param ended is called once a call that began is over, with the number of messages and the error it failed with
 */
export function streamCall<Request, Response>(
  method: CriMethodCodec<Request, Response, boolean>,
  request: Request,
  begin: () => UnaryCallContext,
  ended: (messages: number, error?: unknown) => void,
): AsyncIterator<Response, undefined> {
  let cancel: () => void = () => {};
  let returned = false;

  async function* read(): AsyncGenerator<Response, undefined> {
    if (returned) return undefined;
    const context = begin();
    let count = 0;
    try {
      for await (const message of receive(context)) {
        count++;
        yield message;
      }
      ended(count);
    } catch (error) {
      ended(count, returned ? undefined : error);
      if (!returned) throw error;
    }
    return undefined;
  }

  async function* receive(context: UnaryCallContext): AsyncGenerator<Response, undefined> {
    context.signal?.throwIfAborted();
    const call = context.connection
      .client()
      .makeServerStreamRequest(
        method.path,
        asIs,
        (bytes) => method.response.decode(bytes),
        encodeRequest(method, request),
        new Metadata(),
        context.grpcOptions,
      );
    cancel = () => call.cancel();
    const release = cancelWith(context, cancel);

    let failure: { error: unknown } | undefined;
    let complete = false;
    let wake: () => void = () => {};
    call.on('readable', () => wake());
    call.on('end', () => {
      complete = true;
      wake();
    });
    call.on('error', (error) => {
      failure = { error };
      wake();
    });

    try {
      while (true) {
        const message: Response | null = call.read();
        if (message !== null) yield message;
        else if (failure) throw context.failed(failure.error);
        else if (complete) return undefined;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      release();
      call.cancel();
    }
  }

  const messages = read();
  return {
    next: () => messages.next(),
    return: async () => {
      returned = true;
      cancel();
      await messages.return(undefined);
      return { done: true, value: undefined };
    },
  };
}
