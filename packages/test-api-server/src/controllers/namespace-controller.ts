import type { ApiContext, WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';
import { commitUpdate } from '../operations/commit.js';
import { createObject } from '../operations/create.js';
import { deleteObject } from '../operations/delete.js';
import type { StoreEvent } from '../store/store-event.js';
import type { Controller } from './controller.js';
import { type Place, placeOf } from './dependents.js';

const namespaces = '/namespaces';
const writer: WriteOptions = { user: { username: 'system:kube-controller-manager' }, fieldManager: 'kube-controller-manager' };

/** Creates the default service account and CA bundle of new namespaces, and deletes the content of terminating ones. */
export class NamespaceController implements Controller {
  readonly #context: ApiContext;
  readonly #rootCertificate: () => string;

  constructor(context: ApiContext, rootCertificate: () => string) {
    this.#context = context;
    this.#rootCertificate = rootCertificate;
  }

  affected({ type, storage, object }: StoreEvent): Place[] {
    if (storage === namespaces) return type === 'DELETED' ? [] : [placeOf(storage, object)];
    const { namespace } = object.metadata;
    if (type !== 'DELETED' || namespace === undefined) return [];
    const owner = this.#context.store.get(namespaces, undefined, namespace);
    return owner?.metadata.deletionTimestamp ? [placeOf(namespaces, owner)] : [];
  }

  reconcile({ name }: Place): void {
    const namespace = this.#context.store.get(namespaces, undefined, name);
    if (namespace === undefined) return;
    if (namespace.metadata.deletionTimestamp) this.#empty(namespace, name);
    else this.#furnish(name);
  }

  #furnish(namespace: string): void {
    this.#ensure('ServiceAccount', namespace, 'default', {});
    this.#ensure('ConfigMap', namespace, 'kube-root-ca.crt', { data: { 'ca.crt': this.#rootCertificate() } });
  }

  #ensure(kind: string, namespace: string, name: string, content: Record<string, unknown>): void {
    const definition = this.#context.registry.findByKind('', 'v1', kind);
    if (definition === undefined || this.#context.store.get(definition.storage, namespace, name)) return;
    createObject(this.#context, definition, { apiVersion: 'v1', kind, metadata: { name }, ...content }, { ...writer, namespace });
  }

  #empty(namespace: ApiObject, name: string): void {
    const { store, registry } = this.#context;
    const storages = new Set(registry.list().flatMap((definition) => (definition.namespaced ? [definition.storage] : [])));
    let left = 0;
    for (const storage of storages) {
      const definition = registry.storedForm(storage);
      for (const object of definition ? store.list(storage, name) : []) {
        if (definition && !object.metadata.deletionTimestamp) deleteObject(this.#context, definition, object);
        left += store.get(storage, name, object.metadata.name ?? '') ? 1 : 0;
      }
    }
    const definition = registry.storedForm(namespaces);
    const { finalizers = [] } = (namespace.spec ?? {}) as { finalizers?: string[] };
    if (left > 0 || definition === undefined || !finalizers.includes('kubernetes')) return;
    const after = copyJson(namespace);
    after.spec = { finalizers: finalizers.filter((finalizer) => finalizer !== 'kubernetes') };
    commitUpdate(this.#context, definition, namespace, after, { ...writer, internal: true });
  }
}
