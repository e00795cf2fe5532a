import type { ApiObject } from '../objects.js';
import { type EventInterest, EventListeners } from './event-listeners.js';
import { ObjectTable } from './object-table.js';
import type { StoreEvent } from './store-event.js';

/** `namespace/name`, or the name of what has no namespace. */
export function storeKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * Every object of the server, under one counter of revisions, with the last changes for who watches. Objects are replaced, never
 * changed: what was handed out stays as it was.
 */
export class ObjectStore {
  readonly #tables = new Map<string, ObjectTable>();
  readonly #listeners = new EventListeners();
  readonly #historyLimit: number;
  #history: StoreEvent[] = [];
  #forgotten = 0;
  #revision = 0;

  /** `historyLimit`: how many changes are remembered at least. */
  constructor(historyLimit: number) {
    this.#historyLimit = historyLimit;
  }

  /** That of the newest change. */
  get revision(): number {
    return this.#revision;
  }

  /** The newest change that is not remembered any more. */
  get forgotten(): number {
    return this.#forgotten;
  }

  get(storage: string, namespace: string | undefined, name: string): ApiObject | undefined {
    return this.#tables.get(storage)?.get({ namespace, name });
  }

  /** Sorted by namespace and name; without a namespace those of all. */
  list(storage: string, namespace?: string): ApiObject[] {
    return this.#tables.get(storage)?.list(namespace) ?? [];
  }

  /** As {@link list}, at an earlier revision; undefined if too much was forgotten since. */
  listAt(storage: string, revision: number, namespace?: string): ApiObject[] | undefined {
    if (revision < this.#forgotten) return undefined;
    const table = this.#tables.get(storage)?.copy() ?? new ObjectTable();
    for (let at = this.#history.length - 1; at >= 0; at--) {
      const event = this.#history[at];
      if (event === undefined || event.revision <= revision) break;
      if (event.storage !== storage) continue;
      if (event.previous) table.set(event.previous);
      else table.delete(event.object);
    }
    return table.list(namespace);
  }

  /** The changes after a revision; undefined if some of them are forgotten. */
  since(storage: string, revision: number): StoreEvent[] | undefined {
    if (revision < this.#forgotten) return undefined;
    return this.#history.slice(firstAfter(this.#history, revision)).filter((event) => event.storage === storage);
  }

  /** Adds or replaces; returns the object with its resourceVersion. */
  put(storage: string, object: ApiObject): ApiObject {
    const table = this.#tables.get(storage) ?? new ObjectTable();
    this.#tables.set(storage, table);
    const stored = this.#stamped(object);
    const previous = table.set(stored);
    this.#publish(previous ? { type: 'MODIFIED', storage, object: stored, previous } : { type: 'ADDED', storage, object: stored });
    return stored;
  }

  /** Removes an object that is there; `last` is its state to tell, by default the one it has. Returns that with its resourceVersion. */
  remove(storage: string, previous: ApiObject, last = previous): ApiObject {
    this.#tables.get(storage)?.delete(previous);
    const object = this.#stamped(last);
    this.#publish({ type: 'DELETED', storage, object, previous });
    return object;
  }

  /** Called after each change that is of interest, in order. Default: every change. Returns how to stop that. */
  onEvent(listener: (event: StoreEvent) => void, interest: EventInterest = {}): () => void {
    return this.#listeners.add(listener, interest);
  }

  /** Forgets every change so far: what watches from an older revision is told that it is gone. */
  forgetHistory(): void {
    this.#history = [];
    this.#forgotten = this.#revision;
  }

  #stamped(object: ApiObject): ApiObject {
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#revision) } };
  }

  #publish(change: Omit<StoreEvent, 'revision'>): void {
    const event = { ...change, revision: this.#revision };
    this.#history.push(event);
    // Cut in one go once twice as long as needed, so that a change costs the same however many are remembered.
    if (this.#history.length > 2 * this.#historyLimit) {
      const cut = this.#history.splice(0, this.#history.length - this.#historyLimit);
      this.#forgotten = cut.at(-1)?.revision ?? this.#forgotten;
    }
    this.#listeners.tell(event);
  }
}

/** Where the events after a revision begin: by halves, for there is one event a revision. */
function firstAfter(history: readonly StoreEvent[], revision: number): number {
  let [low, high] = [0, history.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((history[middle]?.revision ?? 0) > revision) high = middle;
    else low = middle + 1;
  }
  return low;
}
