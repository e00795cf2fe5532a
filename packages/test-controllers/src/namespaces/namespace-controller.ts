import type { Clock } from '@nodeagent/api';
import { equalJson, formatTime } from '@nodeagent/api/helpers';
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
import { deletionConditions, type NamespaceCondition, type RemainingObject } from './deletion-conditions.js';

const namespaces = '/namespaces';
const pods = '/pods';
const accounts = '/serviceaccounts';
const configMaps = '/configmaps';

/** The names of the objects that every namespace has, by their kind. */
const furniture = new Map([
  [accounts, 'default'],
  [configMaps, 'kube-root-ca.crt'],
]);

const descriptionAnnotation = 'kubernetes.io/description';
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or ' +
  'kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Keeps the default service account and the CA bundle of each namespace, and deletes the content of terminating ones. */
export class NamespaceController implements Controller {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #authority: (() => Pick<CertificateAuthority, 'cert'>) | undefined;

  /** Without an authority namespaces get no objects. */
  constructor(objects: ControllerObjects, clock: Clock, authority: (() => Pick<CertificateAuthority, 'cert'>) | undefined) {
    this.#objects = objects;
    this.#clock = clock;
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
    else if (this.#authority) this.#furnish(name, this.#authority().cert);
  }

  #furnish(namespace: string, ca: string): void {
    const [account, bundle] = [this.#furnitureOf(accounts, namespace), this.#furnitureOf(configMaps, namespace)];
    if (!account.stored) this.#objects.create(accounts, { ...account.object, kind: 'ServiceAccount' }, { ...controllerManager, namespace });
    const data = { 'ca.crt': ca };
    const { annotations } = bundle.stored?.metadata ?? {};
    if (bundle.stored && annotations?.[descriptionAnnotation] && equalJson(bundle.stored.data, data)) return;
    const { metadata, ...before } = bundle.stored ?? { ...bundle.object, kind: 'ConfigMap' };
    const after = { ...before, metadata: { ...metadata, annotations: { ...annotations, [descriptionAnnotation]: description } }, data };
    if (bundle.stored) this.#objects.replace(configMaps, bundle.stored, after, controllerManager);
    else this.#objects.create(configMaps, after, { ...controllerManager, namespace });
  }

  #furnitureOf(storage: string, namespace: string) {
    const name = furniture.get(storage) ?? '';
    return { object: { apiVersion: 'v1', metadata: { name } }, stored: this.#objects.get(storage, namespace, name) };
  }

  /** Deletes the pods, then the rest: Kubernetes documentation, "Namespaces: Automatic labelling", feature `OrderedNamespaceDeletion`. */
  #empty(namespace: StoredObject, name: string): void {
    const others = [...this.#objects.namespacedStorages()].filter((storage) => storage !== pods);
    let remaining = this.#deleteAll([pods], name);
    if (remaining.length === 0) remaining = this.#deleteAll(others, name);
    else remaining = [...remaining, ...this.#remaining(others, name)];
    const { finalizers = [] } = (namespace.spec ?? {}) as { finalizers?: string[] };
    const isDone = remaining.length === 0 && finalizers.includes('kubernetes');
    const left = isDone ? finalizers.filter((finalizer) => finalizer !== 'kubernetes') : finalizers;
    const status = { ...(namespace.status as object), conditions: this.#conditions(namespace, remaining) };
    const after = { ...namespace, ...(isDone && { spec: { finalizers: left } }), status };
    if (!equalJson(after, namespace)) this.#objects.overwrite(namespaces, namespace, after, controllerManager);
  }

  /** Returns what is left, for its grace period or its finalizers. */
  #deleteAll(storages: readonly string[], namespace: string): RemainingObject[] {
    for (const storage of storages) {
      for (const object of this.#objects.list(storage, namespace)) {
        if (!object.metadata.deletionTimestamp) this.#objects.delete(storage, object);
      }
    }
    return this.#remaining(storages, namespace);
  }

  #remaining(storages: readonly string[], namespace: string): RemainingObject[] {
    return storages.flatMap((storage) => this.#objects.list(storage, namespace).map((object) => ({ storage, object })));
  }

  #conditions({ status }: StoredObject, remaining: readonly RemainingObject[]): NamespaceCondition[] {
    const before = (status as { conditions?: NamespaceCondition[] | null } | undefined)?.conditions ?? [];
    const now = formatTime(this.#clock.now());
    return deletionConditions(remaining).map((condition) => {
      const old = before.find(({ type }) => type === condition.type);
      return { ...condition, lastTransitionTime: old?.status === condition.status ? (old.lastTransitionTime ?? now) : now };
    });
  }
}
