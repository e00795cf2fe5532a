import type { OwnerReference } from '@nodeagent/api';
import type { ApiObject } from '../objects.js';
import { storeKey } from '../store/object-store.js';
import type { StoreEvent } from '../store/store-event.js';

/** Where an object is kept. */
export interface Place {
  storage: string;
  namespace?: string;
  name: string;
}

const placeKey = ({ storage, namespace, name }: Place) => `${storage} ${storeKey(namespace, name)}`;

export const placeOf = (storage: string, { metadata: { namespace, name = '' } }: ApiObject): Place => ({
  storage,
  name,
  ...(namespace && { namespace }),
});

/** Who owns what, by the events of a store. */
export class Dependents {
  readonly #owners = new Map<string, Place>();
  readonly #byOwner = new Map<string, Map<string, Place>>();

  see({ type, storage, object, previous }: StoreEvent): void {
    const place = placeOf(storage, object);
    for (const { uid } of previous?.metadata.ownerReferences ?? []) this.#byOwner.get(uid)?.delete(placeKey(place));
    const uid = object.metadata.uid ?? '';
    if (type === 'DELETED') {
      this.#owners.delete(uid);
      return;
    }
    this.#owners.set(uid, place);
    for (const owner of object.metadata.ownerReferences ?? []) {
      const places = this.#byOwner.get(owner.uid) ?? new Map<string, Place>();
      this.#byOwner.set(owner.uid, places.set(placeKey(place), place));
    }
  }

  /** Where the owner is, if it is there. */
  find({ uid }: OwnerReference): Place | undefined {
    return this.#owners.get(uid);
  }

  /** What names this object as its owner. */
  of(uid: string | undefined): Place[] {
    return [...(this.#byOwner.get(uid ?? '')?.values() ?? [])];
  }

  /** Forgets an owner that has gone and that nothing names any more. */
  forget(uid: string | undefined): void {
    if (uid !== undefined && this.#byOwner.get(uid)?.size === 0) this.#byOwner.delete(uid);
  }
}
