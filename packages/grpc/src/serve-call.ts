import type { handleUnaryCall, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import type { Clock } from '@nodeagent/api';
import type { GrpcAnswer } from './errors.js';
import type { ServedCallEnd, ServedMethod } from './served-method.js';

/** What all calls of a server share. */
export interface CallContext {
  clock: Clock;
  answerOf(error: unknown): GrpcAnswer;
  canceled(): unknown;
  /** Why the server closes; undefined while it serves. */
  stopping: { reason: unknown } | undefined;
  /** How to abort each running call, by its kind. */
  streams: Set<(reason: unknown) => void>;
  unary: Set<(reason: unknown) => void>;
}

type UnaryCall = ServerUnaryCall<unknown, Buffer>;
type StreamCall = ServerWritableStream<unknown, Buffer>;
type SendAnswer = Parameters<handleUnaryCall<unknown, Buffer>>[1];

export async function serveUnary(served: ServedMethod, call: UnaryCall, send: SendAnswer, context: CallContext): Promise<void> {
  const { signal, end } = begin(served, call, context.unary, context);
  try {
    signal.throwIfAborted();
    const response = await orAborted(Promise.resolve(served.handle(call.request, signal)), signal);
    const bytes = served.method.response.encode(response);
    end({ response });
    send(null, bytes);
  } catch (error) {
    end({ error });
    send(statusOf(error, context));
  }
}

export async function serveStream(served: ServedMethod, call: StreamCall, context: CallContext): Promise<void> {
  const { signal, end } = begin(served, call, context.streams, context);
  let messages = 0;
  let iterator: AsyncIterator<unknown> | undefined;
  try {
    signal.throwIfAborted();
    iterator = (served.handle(call.request, signal) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    while (true) {
      const next = await orAborted(iterator.next(), signal);
      if (next.done) break;
      const hasRoom = call.write(served.method.response.encode(next.value));
      messages++;
      if (!hasRoom) await orAborted(new Promise((resolve) => call.once('drain', resolve)), signal);
    }
    end({ messages });
    call.end();
  } catch (error) {
    end({ messages, error });
    call.emit('error', statusOf(error, context));
    // Not awaited: an iterator that waits for its next item answers only then.
    void Promise.resolve(iterator?.return?.()).catch(() => {});
  }
}

/** Tracks a call from here to its `end`, with the signal for its handler. */
function begin(served: ServedMethod, call: UnaryCall | StreamCall, running: Set<(reason: unknown) => void>, context: CallContext) {
  const started = context.clock.monotonic();
  const controller = new AbortController();
  const abort = (reason: unknown): void => controller.abort(reason);
  running.add(abort);
  call.once('cancelled', () => abort(context.canceled()));
  if (context.stopping) abort(context.stopping.reason);
  return {
    signal: controller.signal,
    end(outcome: Omit<ServedCallEnd, 'request' | 'milliseconds'>): void {
      running.delete(abort);
      served.onEnd?.({ request: call.request, ...outcome, milliseconds: context.clock.monotonic() - started });
    },
  };
}

/** Waits, but not beyond the abort of the signal; leaves nothing behind on it. */
function orAborted<T>(wait: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    void wait.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function statusOf(error: unknown, { answerOf }: CallContext): { code: number; details: string } {
  const { code, description } = answerOf(error);
  return { code, details: description };
}
