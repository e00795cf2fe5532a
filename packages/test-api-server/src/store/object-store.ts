import { lazy } from '../lazy.js';
import type { ApiObject } from '../objects.js';
import { type EventInterest, EventListeners } from './event-listeners.js';
import { History } from './history.js';
import { ObjectTable } from './object-table.js';
import type { StoreEvent } from './store-event.js';

/** `namespace/name`, or the name of a cluster-scoped object. */
export function storeKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** Records every change before it is made; if it throws, the change is not made. */
export interface StoreJournal {
  put(storage: string, object: ApiObject): void;
  remove(storage: string, object: ApiObject): void;
}

/**
 * All objects of the server with one revision counter, and the last changes for watches. Objects are replaced, never
 * changed: returned objects stay valid.
 */
export class ObjectStore {
  readonly #tables = new Map<string, ObjectTable>();
  readonly #listeners = new EventListeners();
  readonly #history: History;
  #revision = 0;
  /** Default: changes are not recorded. */
  journal: StoreJournal | undefined;

  /** `historyLimit`: minimum number of changes to keep. */
  constructor(historyLimit: number) {
    this.#history = new History(historyLimit);
  }

  /** Revision of the newest change. */
  get revision(): number {
    return this.#revision;
  }

  /** Revision of the newest dropped change. */
  get forgotten(): number {
    return this.#history.forgotten;
  }

  get(storage: string, namespace: string | undefined, name: string): ApiObject | undefined {
    return this.#tables.get(storage)?.get({ namespace, name });
  }

  /** Sorted by namespace and name; without a namespace those of all namespaces. */
  list(storage: string, namespace?: string): ApiObject[] {
    return this.#tables.get(storage)?.list(namespace) ?? [];
  }

  /** Like {@link list}, at an earlier revision; undefined if the needed changes were dropped. */
  listAt(storage: string, revision: number, namespace?: string): ApiObject[] | undefined {
    const events = this.#history.since(revision);
    if (events === undefined) return undefined;
    const table = this.#tables.get(storage)?.copy() ?? new ObjectTable();
    for (const event of events.reverse()) {
      if (event.storage !== storage) continue;
      if (event.previous) table.set(event.previous);
      else table.delete(event.object);
    }
    return table.list(namespace);
  }

  /** The changes after a revision; undefined if some of them were dropped. */
  since(storage: string, revision: number): StoreEvent[] | undefined {
    return this.#history.since(revision)?.filter((event) => event.storage === storage);
  }

  /** Adds or replaces in the name of a user; returns the object with its resourceVersion. */
  put(storage: string, object: ApiObject, user?: string): ApiObject {
    const table = this.#tables.get(storage) ?? new ObjectTable();
    this.#tables.set(storage, table);
    const stored = this.#stamped(object);
    this.journal?.put(storage, stored);
    const previous = table.set(stored);
    this.#publish({ type: previous ? 'MODIFIED' : 'ADDED', storage, object: stored, ...(previous && { previous }), ...(user && { user }) });
    return stored;
  }

  /** Removes an existing object; `last` is its reported last state, by default the stored one. Returns it with its resourceVersion. */
  remove(storage: string, previous: ApiObject, last = previous, user?: string): ApiObject {
    const object = this.#stamped(last);
    this.journal?.remove(storage, object);
    this.#tables.get(storage)?.delete(previous);
    this.#publish({ type: 'DELETED', storage, object, previous, ...(user && { user }) });
    return object;
  }

  /**
   * Removes the objects of a storage except for `remaining`, at a cost that depends only on these: changes are made for listeners of the storage,
   * and later for watches that start before them. Listeners of all storages do not get them.
   */
  removeOthers(storage: string, remaining: readonly ApiObject[]): void {
    const before = this.#tables.get(storage);
    const count = (before?.size ?? 0) - remaining.length;
    if (before === undefined || count === 0) return;
    const after = new ObjectTable();
    for (const object of remaining) after.set(object);
    const kept = new Set(remaining);
    let revision = this.#revision;
    const changes = lazy(() =>
      before
        .list()
        .filter((object) => !kept.has(object))
        .map((previous): StoreEvent => {
          const object = withRevision(previous, ++revision);
          return { type: 'DELETED', storage, object, previous, revision };
        }),
    );
    if (this.journal) for (const { object } of changes()) this.journal.remove(storage, object);
    this.#tables.set(storage, after);
    this.#revision += count;
    this.#history.add({ revision: this.#revision, count, make: changes });
    if (this.#listeners.has(storage)) for (const event of changes()) this.#listeners.emitToStorage(event);
  }

  /** The kinds that have, or had, objects. */
  storages(): string[] {
    return [...this.#tables.keys()];
  }

  /** Every object with its storage. */
  *entries(): Generator<[storage: string, object: ApiObject]> {
    for (const [storage, table] of this.#tables) for (const object of table.list()) yield [storage, object];
  }

  /** Adds objects of an earlier run with their revisions, and continues after the newest one; older revisions are unknown. */
  restore(entries: Iterable<[storage: string, object: ApiObject]>, revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    for (const [storage, object] of entries) {
      const table = this.#tables.get(storage) ?? new ObjectTable();
      this.#tables.set(storage, table);
      table.set(object);
      this.#listeners.emit({ type: 'ADDED', storage, object, revision: this.#revision });
    }
    this.forgetHistory();
  }

  /** Adds a listener of matching changes, called in order. Default: every change. Returns a function that removes it. */
  onEvent(listener: (event: StoreEvent) => void, interest: EventInterest = {}): () => void {
    return this.#listeners.add(listener, interest);
  }

  /** Drops all changes so far: watches from an older revision get 410. */
  forgetHistory(): void {
    this.#history.forget(this.#revision);
  }

  #stamped(object: ApiObject): ApiObject {
    return withRevision(object, ++this.#revision);
  }

  #publish(change: Omit<StoreEvent, 'revision'>): void {
    const event = { ...change, revision: this.#revision };
    this.#history.add(event);
    this.#listeners.emit(event);
  }
}

const withRevision = (object: ApiObject, revision: number): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
});
