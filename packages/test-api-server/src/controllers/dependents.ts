import type { OwnerReference } from '@nodeagent/api';
import type { ApiObject } from '../objects.js';
import { storeKey } from '../store/object-store.js';
import type { StoreEvent } from '../store/store-event.js';

/** Location of an object in the store. */
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

/** The owner references, updated by the events of a store. */
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

  /** Location of the owner, if it exists. */
  find({ uid }: OwnerReference): Place | undefined {
    return this.#owners.get(uid);
  }

  /** The dependents of the object. */
  of(uid: string | undefined): Place[] {
    return [...(this.#byOwner.get(uid ?? '')?.values() ?? [])];
  }

  /** Removes a deleted owner without dependents. */
  forget(uid: string | undefined): void {
    if (uid !== undefined && this.#byOwner.get(uid)?.size === 0) this.#byOwner.delete(uid);
  }
}
