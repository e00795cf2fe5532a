import type { ApiObject } from '../objects.js';
import type { StoreEvent } from './store-event.js';

/** The changes for a listener; absent fields match all. Includes changes by which an object stops to match. */
export interface EventInterest {
  storage?: string;
  /** A field of the objects and its required value; needs `storage`. */
  field?: { name: string; value: string; of(object: ApiObject): string };
}

type Listener = (event: StoreEvent) => void;

interface FieldIndex {
  of(object: ApiObject): string;
  byValue: Map<string, Set<Listener>>;
}

/**
 * Dispatches changes to listeners. The cost of a change depends only on its listeners: of a thousand nodes that watch their own pods only one is
 * notified of a pod.
 */
export class EventListeners {
  readonly #all = new Set<Listener>();
  readonly #byStorage = new Map<string, Set<Listener>>();
  readonly #byField = new Map<string, Map<string, FieldIndex>>();

  /** Returns a function that removes the listener. */
  add(listener: Listener, { storage, field }: EventInterest): () => void {
    if (storage === undefined) return addTo(this.#all, listener);
    if (field === undefined) return addTo(entryOf(this.#byStorage, storage, newSet), listener);
    const indexes = entryOf(this.#byField, storage, () => new Map<string, FieldIndex>());
    const { byValue } = entryOf(indexes, field.name, () => ({ of: field.of, byValue: new Map() }));
    const remove = addTo(entryOf(byValue, field.value, newSet), listener);
    return () => {
      remove();
      if (byValue.get(field.value)?.size === 0) byValue.delete(field.value);
    };
  }

  emit(event: StoreEvent): void {
    for (const listener of this.#all) listener(event);
    this.emitToStorage(event);
  }

  /** Whether a storage has listeners beside those of all storages. */
  has(storage: string): boolean {
    if (this.#byStorage.get(storage)?.size) return true;
    return [...(this.#byField.get(storage)?.values() ?? [])].some(({ byValue }) => byValue.size > 0);
  }

  /** Like {@link emit}, without the listeners of all storages. */
  emitToStorage(event: StoreEvent): void {
    for (const listener of this.#byStorage.get(event.storage) ?? []) listener(event);
    for (const { of, byValue } of this.#byField.get(event.storage)?.values() ?? []) {
      const value = of(event.object);
      const before = event.previous && of(event.previous);
      for (const listener of byValue.get(value) ?? []) listener(event);
      if (before !== undefined && before !== value) for (const listener of byValue.get(before) ?? []) listener(event);
    }
  }
}

const newSet = () => new Set<Listener>();

function addTo(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
