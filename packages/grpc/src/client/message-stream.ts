import type { GrpcStream } from '../grpc-stream.js';
import type { Call, CallEvents } from './call.js';

/** Messages that wait for their consumer. The window bounds their bytes, but not those without content. */
const maxUnreadMessages = 16_384;

/** The messages of one streaming call. The first `next()` starts it; `return()` cancels it, also while `next()` is pending. */
export function streamMessages<T>(decode: (bytes: Buffer) => T, start: (events: CallEvents) => Call): GrpcStream<T> {
  const unread: T[] = [];
  /** The next message in `unread`. A shift would copy the rest of a long array. */
  let next = 0;
  let call: Call | undefined;
  let over: { error?: unknown } | undefined;
  let isReturned = false;
  let notify: () => void = () => {};

  async function* read(): AsyncGenerator<T, undefined> {
    if (isReturned) return undefined;
    call = start({
      message(bytes) {
        unread.push(decode(bytes));
        if (unread.length - next > maxUnreadMessages) {
          call?.fail('ResourceExhausted', `more than ${maxUnreadMessages} messages wait for their consumer`);
        }
        notify();
      },
      hasUnread: () => next < unread.length,
      end(error) {
        over = { error };
        notify();
      },
    });
    try {
      while (true) {
        if (next < unread.length) {
          const message = unread[next++] as T;
          if (next === unread.length) {
            unread.length = 0;
            next = 0;
            call.release();
          }
          yield message;
        } else if (isReturned || (over && over.error === undefined)) return undefined;
        else if (over) throw over.error;
        else
          await new Promise<void>((resolve) => {
            notify = resolve;
          });
      }
    } finally {
      call.cancel(undefined);
    }
  }

  const messages = read();
  return {
    next: () => messages.next(),
    async return() {
      isReturned = true;
      unread.length = 0;
      next = 0;
      call?.cancel(undefined);
      await messages.return(undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
