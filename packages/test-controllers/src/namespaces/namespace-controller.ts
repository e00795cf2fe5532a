import { equalJson } from '@nodeagent/api/helpers';
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
const accounts = '/serviceaccounts';
const configMaps = '/configmaps';

/** The names of the objects that every namespace has, by their kind. */
const furniture = new Map([
  [accounts, 'default'],
  [configMaps, 'kube-root-ca.crt'],
]);

/** Keeps the default service account and the CA bundle of each namespace, and deletes the content of terminating ones. */
export class NamespaceController implements Controller {
  readonly #objects: ControllerObjects;
  readonly #authority: () => Pick<CertificateAuthority, 'cert'>;

  constructor(objects: ControllerObjects, authority: () => Pick<CertificateAuthority, 'cert'>) {
    this.#objects = objects;
    this.#authority = authority;
  }

  affected({ type, storage, object }: StoredChange): Place[] {
    if (storage === namespaces) return type === 'DELETED' ? [] : [placeOf(storage, object)];
    const { namespace, name = '' } = object.metadata;
    if (namespace === undefined) return [];
    const isFurniture = furniture.get(storage) === name && type !== 'ADDED';
    if (type !== 'DELETED' && !isFurniture) return [];
    const owner = this.#objects.get(namespaces, undefined, namespace);
    return owner && (isFurniture || owner.metadata.deletionTimestamp) ? [placeOf(namespaces, owner)] : [];
  }

  reconcile({ name }: Place): void {
    const namespace = this.#objects.get(namespaces, undefined, name);
    if (namespace === undefined) return;
    if (namespace.metadata.deletionTimestamp) this.#empty(namespace, name);
    else this.#furnish(name);
  }

  #furnish(namespace: string): void {
    const [account, bundle] = [this.#furnitureOf(accounts, namespace), this.#furnitureOf(configMaps, namespace)];
    if (!account.stored) this.#objects.create(accounts, { ...account.object, kind: 'ServiceAccount' }, { ...controllerManager, namespace });
    const data = { 'ca.crt': this.#authority().cert };
    if (!bundle.stored) {
      this.#objects.create(configMaps, { ...bundle.object, kind: 'ConfigMap', data }, { ...controllerManager, namespace });
    } else if (!equalJson(bundle.stored.data, data)) {
      this.#objects.replace(configMaps, bundle.stored, { ...bundle.stored, data }, controllerManager);
    }
  }

  #furnitureOf(storage: string, namespace: string) {
    const name = furniture.get(storage) ?? '';
    return { object: { apiVersion: 'v1', metadata: { name } }, stored: this.#objects.get(storage, namespace, name) };
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
