import type { OwnerReference } from '@nodeagent/api';
import { type Place, placeKey, placeOf, type StoredChange } from '../controller-objects.js';

/** The owner references, updated by the changes of objects. */
export class Dependents {
  readonly #owners = new Map<string, Place>();
  readonly #byOwner = new Map<string, Map<string, Place>>();

  see({ type, storage, object, previous }: StoredChange): void {
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
