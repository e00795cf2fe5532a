import type { ContainerEventResponse } from '@nodeagent/cri-api';
import { unknownError } from './errors.js';

/** Maximum number of pending events of a subscriber; its stream fails beyond it. */
export const maxPendingEvents = 1000;

/** Adds each event to the bounded queue of every subscriber. */
export interface EventHub {
  publish(event: ContainerEventResponse): void;
  /**
   * The events from this call on. The stream ends when `signal` aborts or the hub closes. It fails with CRI_UNKNOWN when it is
   * {@link maxPendingEvents} behind, so that its reader relists instead of missing events.
   */
  subscribe(signal?: AbortSignal): AsyncIterable<ContainerEventResponse>;
  close(): void;
}

interface Subscriber {
  pending: ContainerEventResponse[];
  closed: boolean;
  overrun: boolean;
  notify(): void;
}

export function createEventHub(): EventHub {
  const subscribers = new Set<Subscriber>();
  const end = (subscriber: Subscriber) => {
    subscriber.closed = true;
    subscribers.delete(subscriber);
    subscriber.notify();
  };

  return {
    publish(event) {
      for (const subscriber of subscribers) {
        if (subscriber.pending.length < maxPendingEvents) subscriber.pending.push(event);
        else subscriber.overrun = true;
        if (subscriber.overrun) end(subscriber);
        else subscriber.notify();
      }
    },
    subscribe(signal) {
      const subscriber: Subscriber = { pending: [], closed: false, overrun: false, notify: () => {} };
      const abort = () => end(subscriber);
      if (signal?.aborted) subscriber.closed = true;
      else {
        subscribers.add(subscriber);
        signal?.addEventListener('abort', abort, { once: true });
      }
      return read(subscriber, () => {
        signal?.removeEventListener('abort', abort);
        end(subscriber);
      });
    },
    close() {
      for (const subscriber of subscribers) end(subscriber);
    },
  };
}

async function* read(subscriber: Subscriber, release: () => void): AsyncGenerator<ContainerEventResponse> {
  try {
    for (;;) {
      const event = subscriber.pending.shift();
      if (event !== undefined) yield event;
      else if (subscriber.overrun) throw unknownError(`the reader of container events is ${maxPendingEvents} events behind`);
      else if (subscriber.closed) return;
      else {
        await new Promise<void>((resolve) => {
          subscriber.notify = resolve;
        });
      }
    }
  } finally {
    release();
  }
}
