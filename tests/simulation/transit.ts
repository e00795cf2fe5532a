import type { Deliveries } from './deliveries.js';

/** A call at the client. */
export interface SentCall {
  /** Aborts when the call's cancellation can be sent. */
  readonly signal: AbortSignal;
  /** A message of the stream has arrived. */
  receiveMessage(deliver: () => void): void;
  /** The response, or the end of the stream, has arrived. */
  end(deliver: () => void): void;
}

/** A call at the server. */
export interface ReceivedCall {
  /** Aborts when the client's cancellation is delivered. */
  readonly signal: AbortSignal;
  /** Resolves when the call is delivered. */
  readonly delivered: Promise<void>;
  /** A message of the stream is sent. */
  sendMessage(): void;
  /** The response, or the end of the stream, is sent. */
  end(): void;
}

/** The messages in transit on a real connection between a client and a server in one process. Those of the earliest call are delivered first. */
export interface Transit {
  /** The client sends a call; only one stream may be open at a time. */
  send(cancelled: AbortSignal | undefined, isStream?: boolean): SentCall;
  /** A call has arrived at the server; `cancelled` aborts when its cancellation arrives. */
  receive(cancelled: AbortSignal | undefined): ReceivedCall;
  /** Delivers no further messages. */
  stop(): void;
}

/** Counts the messages of a new connection, see {@link Transit}. */
export function createTransit(deliveries: Deliveries): Transit {
  let sentCalls = 0;
  let receivedCalls = 0;
  // At the client a call is open until its response arrives, at the server from its arrival until its response is sent.
  const open = { client: 0, server: 0 };
  let messages = { sent: 0, received: 0 };

  const { hold, changed, stop } = deliveries.open(() => open.client !== open.server || messages.sent !== messages.received);

  /** A signal that aborts after the other one, when the cancellation is delivered. */
  const holdCancellation = (order: number, cancelled: AbortSignal | undefined) => {
    const controller = new AbortController();
    const abort = () => hold(order, () => controller.abort(cancelled?.reason));
    if (cancelled?.aborted) abort();
    else cancelled?.addEventListener('abort', abort);
    return { signal: controller.signal, release: () => cancelled?.removeEventListener('abort', abort) };
  };

  return {
    send(cancelled, isStream = false) {
      const order = sentCalls++;
      const { signal, release } = holdCancellation(order, cancelled);
      if (isStream) messages = { sent: 0, received: 0 };
      open.client++;
      changed();
      return {
        signal,
        receiveMessage(deliver) {
          messages.received++;
          hold(order, deliver);
        },
        end(deliver) {
          release();
          open.client--;
          if (isStream) messages = { sent: 0, received: 0 };
          hold(order, deliver);
        },
      };
    },
    receive(cancelled) {
      const order = receivedCalls++;
      const counted = messages;
      let isOpen = true;
      const end = () => {
        if (!isOpen) return;
        isOpen = false;
        cancelled?.removeEventListener('abort', end);
        release();
        open.server--;
        changed();
      };
      open.server++;
      const delivered = new Promise<void>((resolve) => hold(order, resolve));
      const { signal, release } = holdCancellation(order, cancelled);
      cancelled?.addEventListener('abort', end);
      return {
        signal,
        delivered,
        sendMessage() {
          counted.sent++;
          changed();
        },
        end,
      };
    },
    stop,
  };
}
