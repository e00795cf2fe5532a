import type { ApiObject } from '../objects.js';
import type { ObjectStore } from './object-store.js';

/** Kinds whose objects are removed after those of others, in this order: what others depend on. */
const last = ['apiextensions.k8s.io/customresourcedefinitions', '/namespaces'];

/** The objects of a store at one time. */
export class Checkpoint {
  readonly #store: ObjectStore;
  readonly #objects = new Map<string, ApiObject[]>();

  constructor(store: ObjectStore) {
    this.#store = store;
    for (const [storage, object] of store.entries()) {
      const objects = this.#objects.get(storage) ?? [];
      objects.push(object);
      this.#objects.set(storage, objects);
    }
  }

  /** Removes the objects that were created since, and puts back the others: at once, without finalizers and grace periods. */
  restore(): void {
    const others = this.#store.storages().filter((storage) => !last.includes(storage));
    for (const storage of [...others, ...last]) {
      const remaining = this.#objects.get(storage)?.flatMap((object) => this.#current(storage, object) ?? []) ?? [];
      this.#store.removeOthers(storage, remaining);
    }
    for (const storage of [...last.toReversed(), ...others]) {
      const restored = this.#objects
        .get(storage)
        ?.map((object) => (this.#current(storage, object) === object ? object : this.#store.put(storage, object)));
      if (restored) this.#objects.set(storage, restored);
    }
  }

  #current(storage: string, { metadata: { namespace, name = '' } }: ApiObject): ApiObject | undefined {
    return this.#store.get(storage, namespace, name);
  }
}
