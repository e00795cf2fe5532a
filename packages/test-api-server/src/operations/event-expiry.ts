import type { Timer } from '@nodeagent/api';
import type { ApiContext } from '../context.js';
import type { StoreEvent } from '../store/store-event.js';
import { deleteObject } from './delete.js';

/** The API server's `--event-ttl`. */
const ttlMs = 3_600_000;

const storage = '/events';

/** Deletes events an hour after their last write, as a cluster does. Returns a function that stops it. */
export function expireEvents(context: ApiContext): () => void {
  const expiry = new EventExpiry(context);
  const unsubscribe = context.store.onEvent((event) => expiry.see(event), { storage });
  return () => {
    unsubscribe();
    expiry.stop();
  };
}

class EventExpiry {
  readonly #context: ApiContext;
  /** Expiry of each event in monotonic time, the earliest first. */
  readonly #due = new Map<string, { at: number; namespace: string; name: string }>();
  #timer: Timer | undefined;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  see({ type, object }: StoreEvent): void {
    const { namespace = '', name = '' } = object.metadata;
    const key = `${namespace}/${name}`;
    this.#due.delete(key);
    if (type !== 'DELETED') this.#due.set(key, { at: this.#context.clock.monotonic() + ttlMs, namespace, name });
    this.#setTimer();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** One timer for all events: it may be late, but is not reset with each event. */
  #setTimer(): void {
    const [first] = this.#due.values();
    if (this.#timer !== undefined || first === undefined) return;
    const { clock } = this.#context;
    this.#timer = clock.setTimeout(() => this.#expire(), first.at - clock.monotonic());
  }

  #expire(): void {
    this.#timer = undefined;
    const { clock, store, registry } = this.#context;
    const definition = registry.storedForm(storage);
    for (const { at, namespace, name } of this.#due.values()) {
      if (at > clock.monotonic()) break;
      const event = store.get(storage, namespace, name);
      if (definition && event) deleteObject(this.#context, definition, event);
    }
    this.#setTimer();
  }
}
