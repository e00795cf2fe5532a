import type { CertificateAuthority } from '../certificates/certificate-signer.js';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';

const namespaces = '/namespaces';

/** Creates the default service account and CA bundle of new namespaces, and deletes the content of terminating ones. */
export class NamespaceController implements Controller {
  readonly #objects: ControllerObjects;
  readonly #authority: () => Pick<CertificateAuthority, 'cert'>;

  constructor(objects: ControllerObjects, authority: () => Pick<CertificateAuthority, 'cert'>) {
    this.#objects = objects;
    this.#authority = authority;
  }

  affected({ type, storage, object }: StoredChange): Place[] {
    if (storage === namespaces) return type === 'DELETED' ? [] : [placeOf(storage, object)];
    const { namespace } = object.metadata;
    if (type !== 'DELETED' || namespace === undefined) return [];
    const owner = this.#objects.get(namespaces, undefined, namespace);
    return owner?.metadata.deletionTimestamp ? [placeOf(namespaces, owner)] : [];
  }

  reconcile({ name }: Place): void {
    const namespace = this.#objects.get(namespaces, undefined, name);
    if (namespace === undefined) return;
    if (namespace.metadata.deletionTimestamp) this.#empty(namespace, name);
    else this.#furnish(name);
  }

  #furnish(namespace: string): void {
    this.#ensure('/serviceaccounts', namespace, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
    const data = { 'ca.crt': this.#authority().cert };
    this.#ensure('/configmaps', namespace, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt' }, data });
  }

  #ensure(storage: string, namespace: string, object: StoredObject): void {
    if (this.#objects.get(storage, namespace, object.metadata.name ?? '')) return;
    this.#objects.create(storage, object, { ...controllerManager, namespace });
  }

  #empty(namespace: StoredObject, name: string): void {
    let left = 0;
    for (const storage of this.#objects.namespacedStorages()) {
      for (const object of this.#objects.list(storage, name)) {
        if (!object.metadata.deletionTimestamp) this.#objects.delete(storage, object);
        left += this.#objects.get(storage, name, object.metadata.name ?? '') ? 1 : 0;
      }
    }
    const { finalizers = [] } = (namespace.spec ?? {}) as { finalizers?: string[] };
    if (left > 0 || !finalizers.includes('kubernetes')) return;
    const spec = { finalizers: finalizers.filter((finalizer) => finalizer !== 'kubernetes') };
    this.#objects.overwrite(namespaces, namespace, { ...namespace, spec }, controllerManager);
  }
}
