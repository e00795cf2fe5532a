import type { ContainerEventResponse } from '@nodeagent/cri-api';
import type { CallContext } from './calls.js';

const bufferSize = 1_000;

interface Subscriber {
  buffer: ContainerEventResponse[];
  notify: (() => void) | undefined;
}

/** Sends container events to any number of streams. A stream that does not read loses events beyond its buffer of 1000. */
export class MemoryEventHub {
  readonly #subscribers = new Set<Subscriber>();

  /** Whether there are subscribers: without them, events need not be created. */
  get watched(): boolean {
    return this.#subscribers.size > 0;
  }

  publish(event: ContainerEventResponse): void {
    for (const subscriber of this.#subscribers) {
      if (subscriber.buffer.length < bufferSize) subscriber.buffer.push(event);
      subscriber.notify?.();
    }
  }

  /** Events from now on, until the call is aborted or the loop ends. */
  async *subscribe(context: CallContext): AsyncGenerator<ContainerEventResponse, void, undefined> {
    const subscriber: Subscriber = { buffer: [], notify: undefined };
    this.#subscribers.add(subscriber);
    try {
      for (;;) {
        for (let event = subscriber.buffer.shift(); event; event = subscriber.buffer.shift()) yield event;
        await context.wait(
          () =>
            new Promise<void>((resolve) => {
              subscriber.notify = resolve;
              if (subscriber.buffer.length > 0) resolve();
            }),
        );
      }
    } finally {
      this.#subscribers.delete(subscriber);
    }
  }
}
