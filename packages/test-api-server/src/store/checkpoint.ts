import type { ApiObject } from '../objects.js';
import { type ObjectStore, storeKey } from './object-store.js';

/** Kinds whose objects are removed after those of others, in this order: what others depend on. */
const last = ['apiextensions.k8s.io/customresourcedefinitions', '/namespaces'];

/** The objects of a store at one time. */
export class Checkpoint {
  readonly #store: ObjectStore;
  readonly #objects = new Map<string, Map<string, ApiObject>>();

  constructor(store: ObjectStore) {
    this.#store = store;
    for (const [storage, object] of store.entries()) {
      const objects = this.#objects.get(storage) ?? new Map<string, ApiObject>();
      this.#objects.set(storage, objects.set(keyOf(object), object));
    }
  }

  /** Removes the objects that were created since, and puts back the others: at once, without finalizers and grace periods. */
  restore(): void {
    const current = [...this.#store.entries()];
    const rank = ([storage]: [string, ApiObject]) => last.indexOf(storage);
    for (const [storage, object] of current.sort((a, b) => rank(a) - rank(b))) {
      if (!this.#objects.get(storage)?.has(keyOf(object))) this.#store.remove(storage, object);
    }
    for (const storage of [...last.toReversed(), ...this.#objects.keys()]) {
      for (const object of this.#objects.get(storage)?.values() ?? []) this.#putBack(storage, object);
    }
  }

  #putBack(storage: string, object: ApiObject): void {
    const { namespace, name = '' } = object.metadata;
    const current = this.#store.get(storage, namespace, name);
    if (current === object) return;
    this.#objects.get(storage)?.set(keyOf(object), this.#store.put(storage, object));
  }
}

const keyOf = ({ metadata }: ApiObject) => storeKey(metadata.namespace, metadata.name ?? '');
