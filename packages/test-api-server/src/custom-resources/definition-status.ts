import { equalJson } from '@nodeagent/api/helpers';
import { type ApiContext, timestamp } from '../context.js';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';
import { deleteObject } from '../operations/delete.js';
import { acceptedNames } from './accepted-names.js';
import { withCondition } from './definition-condition.js';
import { resourcesOf } from './definition-resources.js';
import { cleanupFinalizer, type DefinitionStatusFields, definitionStorage, isTrue, specOf, statusOf } from './definition-spec.js';

/**
 * Follows CustomResourceDefinitions: accepts their names, establishes them, serves their resources, and deletes their objects before them.
 * Each step is a write after the change that causes it, as in a cluster, so that a client that waits for a condition sees it change.
 */
export class DefinitionStatus {
  readonly #context: ApiContext;
  readonly #stop: () => void;
  /** Initially true: a server may start with definitions of an earlier one. */
  #isDue = true;
  /** Names of the definitions that are served. */
  readonly #served = new Map<string, ApiObject>();

  constructor(context: ApiContext) {
    this.#context = context;
    this.#stop = context.store.onEvent(({ storage, type }) => {
      if (storage === definitionStorage || (type === 'DELETED' && this.#isCustom(storage))) this.#schedule();
    });
  }

  /** Writes what is due. */
  settle(): void {
    while (this.#isDue) {
      this.#isDue = false;
      const { store } = this.#context;
      for (const name of this.#served.keys()) if (!store.get(definitionStorage, undefined, name)) this.#remove(name);
      for (const definition of store.list(definitionStorage)) this.#sync(definition);
    }
  }

  /** Makes all definitions due, after changes without events. */
  resync(): void {
    this.#isDue = true;
  }

  stop(): void {
    this.#stop();
    this.#isDue = false;
  }

  #schedule(): void {
    if (!this.#isDue) queueMicrotask(() => this.settle());
    this.#isDue = true;
  }

  #isCustom(storage: string): boolean {
    return this.#context.registry.storedForm(storage)?.custom !== undefined;
  }

  #sync(definition: ApiObject): void {
    if (definition.metadata.deletionTimestamp) {
      this.#serve(definition);
      this.#finalize(definition);
      return;
    }
    let current = definition;
    for (const step of [namesStep, establishedStep]) {
      const status = step(current, this.#context);
      if (equalJson(status, statusOf(current))) continue;
      const next = { ...current, status } as unknown as ApiObject;
      current = this.#context.store.put(definitionStorage, next);
    }
    if (isTrue(current, 'Established')) this.#serve(current);
  }

  #serve(definition: ApiObject): void {
    const { name = '' } = definition.metadata;
    if (this.#served.get(name) === definition) return;
    if (!isTrue(definition, 'Established')) return;
    const before = this.#served.get(name);
    this.#served.set(name, definition);
    // A change of the status or the metadata leaves the resources, and what is compiled for them, as they are.
    const isSame =
      before &&
      equalJson(before.spec, definition.spec) &&
      equalJson(namesOf(before), namesOf(definition)) &&
      isDeleting(before) === isDeleting(definition);
    if (isSame) return;
    this.#unregister(name, before);
    for (const resource of resourcesOf(definition, this.#context)) this.#context.registry.add(resource);
  }

  #remove(name: string): void {
    this.#unregister(name, this.#served.get(name));
    this.#served.delete(name);
  }

  #unregister(_name: string, definition: ApiObject | undefined): void {
    if (!definition) return;
    const { plural = '' } = namesOf(definition);
    this.#context.registry.removeAll(specOf(definition).group ?? '', plural);
  }

  /** Deletes the objects of a definition, and the definition once there are none. */
  #finalize(definition: ApiObject): void {
    if (!definition.metadata.finalizers?.includes(cleanupFinalizer)) return;
    const { store, registry } = this.#context;
    const { group = '', names } = specOf(definition);
    const storage = `${group}/${names?.plural}`;
    const resource = registry.storedForm(storage);
    for (const object of store.list(storage))
      if (resource && !object.metadata.deletionTimestamp) deleteObject(this.#context, resource, object);
    const left = store.list(storage).length;
    const condition = {
      type: 'Terminating',
      status: left > 0 ? 'True' : 'False',
      reason: left > 0 ? 'InstanceDeletionInProgress' : 'InstanceDeletionCompleted',
      message: left > 0 ? 'CustomResource deletion is in progress' : 'removed all instances',
    };
    const status = withCondition(statusOf(definition), condition, timestamp(this.#context)) as Record<string, unknown>;
    const current = equalJson(status, statusOf(definition))
      ? definition
      : store.put(definitionStorage, { ...definition, status } as ApiObject);
    if (left > 0) return;
    const finalizers = current.metadata.finalizers?.filter((each) => each !== cleanupFinalizer) ?? [];
    const { finalizers: _before, ...metadata } = current.metadata;
    const last = { ...current, metadata: { ...metadata, ...(finalizers.length > 0 && { finalizers }) } } as ApiObject;
    if (finalizers.length > 0) store.put(definitionStorage, last);
    else store.remove(definitionStorage, current, last);
  }
}

const isDeleting = ({ metadata }: ApiObject) => metadata.deletionTimestamp !== undefined;

const namesOf = (definition: ApiObject) => statusOf(definition).acceptedNames ?? {};

/** Accepts the names that no other resource of the group has. */
function namesStep(definition: ApiObject, context: ApiContext): DefinitionStatusFields {
  const { names, condition } = acceptedNames(definition, context);
  return withCondition({ ...statusOf(definition), acceptedNames: copyJson(names) }, condition, timestamp(context));
}

/** A definition stays established once it was. */
function establishedStep(definition: ApiObject, context: ApiContext): DefinitionStatusFields {
  const status = statusOf(definition);
  if (isTrue(definition, 'Established')) return status;
  const isAccepted = isTrue(definition, 'NamesAccepted');
  const condition = isAccepted
    ? { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  return withCondition(status, condition, timestamp(context));
}
