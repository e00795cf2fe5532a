import type { OwnerReference } from '@nodeagent/api';
import type { Controller } from '../controller.js';
import { type ControllerObjects, type Place, placeOf, type StoredChange, type StoredObject, type Writer } from '../controller-objects.js';
import { Dependents } from './dependents.js';

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

const writer: Writer = {
  user: { username: 'system:serviceaccount:kube-system:generic-garbage-collector' },
  fieldManager: 'kube-controller-manager',
};

/**
 * Deletes objects without owners, and keeps owners that wait for their dependents: Kubernetes documentation, "Garbage Collection".
 * Owners of unknown kinds are assumed to exist.
 */
export class GarbageCollector implements Controller {
  readonly #dependents = new Dependents();
  readonly #objects: ControllerObjects;

  constructor(objects: ControllerObjects) {
    this.#objects = objects;
  }

  affected(change: StoredChange): Place[] {
    this.#dependents.see(change);
    const { type, storage, object } = change;
    const { uid, ownerReferences = [], finalizers = [], deletionTimestamp } = object.metadata;
    const waiting = deletionTimestamp && finalizers.some((each) => each === orphanFinalizer || each === foregroundFinalizer);
    const owners = () =>
      (change.previous?.metadata.ownerReferences ?? ownerReferences).flatMap((owner) => this.#dependents.find(owner) ?? []);
    if (type === 'DELETED') return [...this.#dependents.of(uid), ...owners()];
    const own = ownerReferences.length > 0 || waiting ? [placeOf(storage, object)] : [];
    // An owner that waits for the object may no longer have to.
    return type === 'MODIFIED' ? [...own, ...owners().filter((place) => isWaiting(this.#get(place)))] : own;
  }

  reconcile(place: Place): void {
    const object = this.#get(place);
    if (object === undefined) return;
    const { deletionTimestamp, finalizers = [], ownerReferences = [] } = object.metadata;
    if (deletionTimestamp && finalizers.includes(orphanFinalizer)) this.#orphan(place, object);
    else if (deletionTimestamp && finalizers.includes(foregroundFinalizer)) this.#deleteDependents(place, object);
    else if (!deletionTimestamp && ownerReferences.length > 0) this.#checkOwners(place, object);
  }

  #get({ storage, namespace, name }: Place): StoredObject | undefined {
    return this.#objects.get(storage, namespace, name);
  }

  /** Deletes an object whose owners are deleted or wait for it; otherwise it loses the references to those. */
  #checkOwners(place: Place, object: StoredObject): void {
    const { uid, ownerReferences: owners = [] } = object.metadata;
    const waiting = owners.filter((owner) => isWaiting(this.#ownerOf(owner)));
    const solid = owners.filter((owner) => !waiting.includes(owner) && this.#isPresent(owner));
    if (solid.length === owners.length) return;
    if (solid.length > 0) {
      this.#write(place, object, { ownerReferences: solid });
      return;
    }
    const dependents = this.#dependents.of(uid);
    const isForeground = waiting.length > 0 && dependents.length > 0;
    if (isForeground && dependents.some((each) => isWaiting(this.#get(each)))) {
      // A circle of owners, each of which would wait for the next one.
      this.#write(place, object, { ownerReferences: owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })) });
    }
    const current = this.#get(place);
    if (current) this.#delete(place, current, isForeground ? 'Foreground' : 'Background');
  }

  #ownerOf(owner: OwnerReference): StoredObject | undefined {
    const place = this.#dependents.find(owner);
    return place && this.#get(place);
  }

  #isPresent(owner: OwnerReference): boolean {
    const group = owner.apiVersion.includes('/') ? owner.apiVersion.replace(/\/.*/, '') : '';
    if (!this.#objects.hasKind(group, owner.kind)) return true;
    return this.#dependents.find(owner) !== undefined;
  }

  #orphan(place: Place, object: StoredObject): void {
    const { uid, finalizers = [] } = object.metadata;
    for (const each of this.#dependents.of(uid)) {
      const dependent = this.#get(each);
      const rest = dependent?.metadata.ownerReferences?.filter((owner) => owner.uid !== uid) ?? [];
      if (dependent) this.#write(each, dependent, { ownerReferences: rest });
    }
    this.#write(place, object, { finalizers: finalizers.filter((each) => each !== orphanFinalizer) });
  }

  #deleteDependents(place: Place, object: StoredObject): void {
    const { uid, finalizers = [] } = object.metadata;
    for (const each of this.#dependents.of(uid)) {
      const dependent = this.#get(each);
      if (dependent && !dependent.metadata.deletionTimestamp) this.#checkOwners(each, dependent);
    }
    const blocking = this.#dependents
      .of(uid)
      .some((each) => this.#get(each)?.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true));
    if (!blocking) this.#write(place, object, { finalizers: finalizers.filter((each) => each !== foregroundFinalizer) });
  }

  #delete({ storage }: Place, object: StoredObject, propagationPolicy: 'Foreground' | 'Background'): void {
    this.#objects.delete(storage, object, propagationPolicy === 'Foreground' ? { propagationPolicy } : {});
  }

  #write({ storage }: Place, object: StoredObject, change: { ownerReferences?: OwnerReference[]; finalizers?: string[] }): void {
    const metadata = { ...object.metadata, ...change };
    for (const field of ['ownerReferences', 'finalizers'] as const) if (metadata[field]?.length === 0) delete metadata[field];
    this.#objects.overwrite(storage, object, { ...object, metadata }, writer);
  }
}

/** Whether an object stays until its dependents are deleted. */
const isWaiting = (object: StoredObject | undefined): boolean =>
  object?.metadata.deletionTimestamp !== undefined && object.metadata.finalizers?.includes(foregroundFinalizer) === true;
