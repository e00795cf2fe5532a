import type { OwnerReference } from '@nodeagent/api';
import type { ApiContext, WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import { type ApiObject, splitApiVersion } from '../objects.js';
import { commitUpdate } from '../operations/commit.js';
import { deleteObject, foregroundFinalizer, orphanFinalizer } from '../operations/delete.js';
import type { StoreEvent } from '../store/store-event.js';
import type { Controller } from './controller.js';
import { Dependents, type Place, placeOf } from './dependents.js';

const writer: WriteOptions = {
  user: { username: 'system:serviceaccount:kube-system:generic-garbage-collector' },
  fieldManager: 'kube-controller-manager',
};

/**
 * Deletes objects without owners, and keeps owners that wait for their dependents: Kubernetes documentation, "Garbage Collection".
 * Owners of unknown kinds are assumed to exist.
 */
export class GarbageCollector implements Controller {
  readonly #dependents = new Dependents();
  readonly #context: ApiContext;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  affected(event: StoreEvent): Place[] {
    this.#dependents.see(event);
    const { type, storage, object } = event;
    const { uid, ownerReferences = [], finalizers = [], deletionTimestamp } = object.metadata;
    const waiting = deletionTimestamp && finalizers.some((each) => each === orphanFinalizer || each === foregroundFinalizer);
    const owners = type === 'DELETED' ? ownerReferences.flatMap((owner) => this.#dependents.find(owner) ?? []) : [];
    if (type === 'DELETED') return [...this.#dependents.of(uid), ...owners];
    return ownerReferences.length > 0 || waiting ? [placeOf(storage, object)] : [];
  }

  reconcile(place: Place): void {
    const object = this.#get(place);
    if (object === undefined) return;
    const { deletionTimestamp, finalizers = [], ownerReferences = [] } = object.metadata;
    if (deletionTimestamp && finalizers.includes(orphanFinalizer)) this.#orphan(place, object);
    else if (deletionTimestamp && finalizers.includes(foregroundFinalizer)) this.#deleteDependents(place, object);
    else if (!deletionTimestamp && ownerReferences.length > 0) this.#checkOwners(place, object, ownerReferences);
  }

  #get({ storage, namespace, name }: Place): ApiObject | undefined {
    return this.#context.store.get(storage, namespace, name);
  }

  #checkOwners(place: Place, object: ApiObject, owners: OwnerReference[]): void {
    const present = owners.filter((owner) => this.#isPresent(owner));
    if (present.length === owners.length) return;
    if (present.length > 0) this.#write(place, object, { ownerReferences: present });
    else this.#delete(place, object, 'Background');
  }

  #isPresent(owner: OwnerReference): boolean {
    const { group } = splitApiVersion(owner.apiVersion);
    if (this.#context.registry.findByGroupKind(group, owner.kind) === undefined) return true;
    return this.#dependents.find(owner) !== undefined;
  }

  #orphan(place: Place, object: ApiObject): void {
    const { uid, finalizers = [] } = object.metadata;
    for (const each of this.#dependents.of(uid)) {
      const dependent = this.#get(each);
      const rest = dependent?.metadata.ownerReferences?.filter((owner) => owner.uid !== uid) ?? [];
      if (dependent) this.#write(each, dependent, { ownerReferences: rest });
    }
    this.#write(place, object, { finalizers: finalizers.filter((each) => each !== orphanFinalizer) });
  }

  #deleteDependents(place: Place, object: ApiObject): void {
    const { uid, finalizers = [] } = object.metadata;
    for (const each of this.#dependents.of(uid)) {
      const dependent = this.#get(each);
      if (dependent === undefined || dependent.metadata.deletionTimestamp) continue;
      const isOwner = this.#dependents.of(dependent.metadata.uid).length > 0;
      this.#delete(each, dependent, isOwner ? 'Foreground' : 'Background');
    }
    const blocking = this.#dependents
      .of(uid)
      .some((each) => this.#get(each)?.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true));
    if (!blocking) this.#write(place, object, { finalizers: finalizers.filter((each) => each !== foregroundFinalizer) });
  }

  #delete({ storage }: Place, object: ApiObject, propagationPolicy: string): void {
    const definition = this.#context.registry.storedForm(storage);
    const foreground = propagationPolicy === 'Foreground' ? { propagationPolicy } : {};
    if (definition) deleteObject(this.#context, definition, object, foreground);
  }

  #write({ storage }: Place, object: ApiObject, change: { ownerReferences?: OwnerReference[]; finalizers?: string[] }): void {
    const definition = this.#context.registry.storedForm(storage);
    if (definition === undefined) return;
    const after = copyJson(object);
    Object.assign(after.metadata, change);
    for (const field of ['ownerReferences', 'finalizers'] as const) if (after.metadata[field]?.length === 0) delete after.metadata[field];
    commitUpdate(this.#context, definition, object, after, { ...writer, internal: true });
  }
}
