import type { KubeObject } from '@nodeagent/api';
import { adminUser } from './access/user.js';
import { type ApiContext, shown } from './context.js';
import { copyJson } from './copy-json.js';
import { checkFields, strictly } from './fields/field-validation.js';
import type { ApiObject } from './objects.js';
import { splitApiVersion } from './objects.js';
import { createObject } from './operations/create.js';
import { type DeletionOptions, deleteObject } from './operations/delete.js';
import { patchObject } from './operations/patch.js';
import { replaceObject, requireObject } from './operations/update.js';
import { applyPatchType } from './patch/apply-patch.js';
import type { ServedResource } from './registry/resource.js';
import { cannotWait } from './requests/known-answers.js';
import { badRequest } from './status.js';
import { selectionOf } from './store/selection.js';

/** A change of an object, as {@link ServerObjects.watch} reports it. */
export interface WatchedChange {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Plural of the kind: `pods`. */
  resource: string;
  /** The new state; for a deletion the last state. An object of the server, which must not be changed. */
  object: KubeObject;
  previous?: KubeObject;
  /** Name of the user who wrote: `system:node:node-1`. Undefined for the server itself. */
  user?: string;
}

/**
 * Access to the server's objects without requests: no faults, no audit, no webhooks, administrator permissions. Resources are named by their
 * plural (`pods`), `plural.group` or kind. Errors are thrown as a client gets them (`apiStatusOf`).
 */
export interface ServerObjects {
  /** Creates any object by its apiVersion and kind; default namespace `default`. Returns the stored object. */
  create<T extends KubeObject>(object: T): T;
  /**
   * Creates the object, or changes the existing one by server-side apply: fields that were applied before and are absent now are removed.
   * Throws 409 if another manager has set an applied field to another value, unless `force` is set. An object with `generateName`
   * is created. Returns the stored object.
   */
  apply<T extends KubeObject>(object: T, options?: { force?: boolean }): T;
  get<T extends KubeObject>(resource: string, name: string, namespace?: string): T | undefined;
  /** Sorted by namespace and name. */
  list<T extends KubeObject>(resource: string, options?: { namespace?: string; labelSelector?: string; fieldSelector?: string }): T[];
  /** Like {@link list} of all namespaces, but the objects of the server, which must not be changed: for frequent reads of many objects. */
  read<T extends KubeObject>(resource: string): readonly T[];
  /** Replaces an object by the result of `change`, which gets a copy; `subresource: 'status'` changes the status. */
  update<T extends KubeObject>(
    resource: string,
    name: string,
    change: (object: T) => void,
    options?: { namespace?: string; subresource?: string },
  ): T;
  /** Like DELETE: running pods wait for their node unless `gracePeriodSeconds` is 0. */
  delete(resource: string, name: string, options?: DeletionOptions & { namespace?: string }): void;
  /**
   * Calls the listener with every change of every object from now on, in order and before the write returns; it must not write. Returns a
   * function that removes it.
   */
  watch(listener: (change: WatchedChange) => void): () => void;
}

const writer = { user: adminUser, fieldManager: 'test', fieldValidation: strictly };

/** {@link ServerObjects} of a server; `settle` is called before each use. */
export function serverObjects(server: ApiContext, settle: () => void): ServerObjects {
  const context: ApiContext = { ...server, answers: cannotWait };
  const find = (resource: string): ServedResource => {
    settle();
    const definition = context.registry.findByName(resource);
    if (definition === undefined) throw badRequest(`the server doesn't have a resource type "${resource}"`);
    return definition;
  };
  const target = (definition: ServedResource, name: string, namespace = 'default') => ({
    name,
    ...(definition.namespaced && { namespace }),
  });
  /** The kind of an object and its namespace. */
  const placeOf = ({ apiVersion, kind, metadata }: KubeObject) => {
    settle();
    if (!apiVersion || !kind) {
      const missing = Object.entries({ apiVersion, kind }).flatMap(([field, value]) => (value ? [] : [`${field} not set`]));
      throw badRequest(`cannot create an object: ${missing.join(', ')}; a Pod has apiVersion "v1" and kind "Pod"`);
    }
    const { group, version } = splitApiVersion(apiVersion);
    const definition = context.registry.findByKind(group, version, kind);
    if (definition === undefined) throw badRequest(`no matches for kind "${kind}" in version "${apiVersion}"`);
    return { definition, ...(definition.namespaced && { namespace: metadata?.namespace ?? 'default' }) };
  };
  const create = <T extends KubeObject>(object: T): T => {
    const { definition, namespace } = placeOf(object);
    const options = { ...writer, ...(namespace && { namespace }) };
    return copy(shown(definition, createObject(context, definition, object as unknown as ApiObject, options)));
  };
  return {
    create,
    apply<T extends KubeObject>(object: T, { force = false }: { force?: boolean } = {}): T {
      const { name } = object.metadata ?? {};
      if (!name) return create(object);
      const { definition, namespace } = placeOf(object);
      // As a request has it: JSON has no undefined.
      const patch = JSON.parse(JSON.stringify(object)) as T;
      const input = { contentType: applyPatchType, patch, name, force, ...(namespace && { namespace }) };
      return copy(shown(definition, patchObject(context, definition, input, writer)));
    },
    get(resource, name, namespace) {
      const definition = find(resource);
      const { namespace: place } = target(definition, name, namespace);
      const object = context.store.get(definition.storage, place, name);
      return object && copy(shown(definition, object));
    },
    list(resource, options = {}) {
      const definition = find(resource);
      const selection = selectionOf(definition, options);
      const objects = context.store.list(definition.storage, options.namespace).map((object) => shown(definition, object));
      return objects.filter((object) => selection.matches(object)).map((object) => copy(object));
    },
    read<T>(resource: string) {
      const definition = find(resource);
      return context.store.list(definition.storage).map((object) => shown(definition, object)) as T[];
    },
    update(resource, name, change, { namespace, subresource } = {}) {
      const definition = find(resource);
      const before = requireObject(context, definition, target(definition, name, namespace));
      const after = copyJson(shown(definition, before));
      change(after as never);
      checkFields(definition, after, strictly);
      const part = subresource === undefined ? {} : { subresource };
      return copy(shown(definition, replaceObject(context, definition, before, after, { ...writer, ...part })));
    },
    delete(resource, name, { namespace, ...options } = {}) {
      const definition = find(resource);
      deleteObject(
        context,
        definition,
        requireObject(context, definition, target(definition, name, namespace)),
        options,
        adminUser.username,
      );
    },
    watch: (listener) =>
      context.store.onEvent(({ type, storage, object, previous, user }) => {
        const resource = storage.slice(storage.indexOf('/') + 1);
        listener({ type, resource, object, ...(previous && { previous }), ...(user && { user }) });
      }),
  };
}

/** A copy that the caller may change. */
function copy<T>(object: ApiObject): T {
  return copyJson(object) as T;
}
