import type { Timer } from '@nodeagent/api';
import type { ApiContext } from '../context.js';
import { deleteObject } from '../operations/delete.js';
import type { StoreEvent } from '../store/store-event.js';
import type { Controller } from './controller.js';
import { type Place, placeOf } from './dependents.js';

/** The API server's `--event-ttl`. */
const ttlMs = 3_600_000;

const storage = '/events';

/** Deletes events an hour after their last write, as a cluster does. */
export class EventExpiry implements Controller {
  readonly #context: ApiContext;
  /** Expiry of each event in monotonic time, the earliest first. */
  readonly #due = new Map<string, { at: number; place: Place }>();
  #timer: Timer | undefined;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  affected({ storage: changed, type, object }: StoreEvent): Place[] {
    if (changed !== storage) return [];
    const place = placeOf(storage, object);
    const key = `${place.namespace}/${place.name}`;
    this.#due.delete(key);
    if (type !== 'DELETED') this.#due.set(key, { at: this.#context.clock.monotonic() + ttlMs, place });
    this.#setTimer();
    return [];
  }

  reconcile(): void {}

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
    for (const { at, place } of this.#due.values()) {
      if (at > clock.monotonic()) break;
      const event = store.get(storage, place.namespace, place.name);
      if (definition && event) deleteObject(this.#context, definition, event);
    }
    this.#setTimer();
  }
}
