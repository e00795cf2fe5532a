import type { ContainerEventLike } from './container-event.js';

interface OpenStream {
  waiting: ContainerEventLike[];
  onChange: () => void;
  end: { error?: unknown } | undefined;
}

/** The event streams of a fake runtime. */
export class EventStreams {
  readonly open = new Set<OpenStream>();

  /** Opens a stream, which ends when the signal aborts. */
  async *read(signal: AbortSignal): AsyncGenerator<ContainerEventLike, void, undefined> {
    const stream: OpenStream = { waiting: [], onChange: () => {}, end: undefined };
    this.open.add(stream);
    const abort = () => {
      stream.end = { error: signal.reason };
      stream.onChange();
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      for (;;) {
        for (let event = stream.waiting.shift(); event; event = stream.waiting.shift()) yield event;
        if (stream.end?.error !== undefined) throw stream.end.error;
        if (stream.end !== undefined) return;
        await new Promise<void>((resolve) => {
          stream.onChange = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.open.delete(stream);
    }
  }

  send(event: ContainerEventLike): void {
    for (const stream of this.open) {
      stream.waiting.push(event);
      stream.onChange();
    }
  }

  end(error?: unknown): void {
    for (const stream of this.open) {
      stream.end = error === undefined ? {} : { error };
      stream.onChange();
    }
  }
}
