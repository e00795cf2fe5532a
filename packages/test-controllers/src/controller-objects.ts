import type { ObjectMeta, Pod } from '@nodeagent/api';

/** A stored object of any kind, as JSON. Stored objects are never changed, only replaced. */
export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}

/** One change of one object, in the order of revisions. */
export interface StoredChange {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Group and plural of the kind: `/pods`, `apps/deployments`. */
  storage: string;
  /** The new state; for a deletion the last state. */
  object: StoredObject;
  previous?: StoredObject;
}

/** In whose name a controller writes. */
export interface Writer {
  user: { username: string };
  fieldManager: string;
}

/** The Scale of an object, as its subresource `scale` shows it. */
export interface TargetScale {
  /** The wanted replicas. */
  replicas: number;
  /** The replicas in the status. */
  currentReplicas: number;
  /** The selector of its pods; empty if it has none. */
  selector: string;
  /** Whether the selector selects a pod with these labels. Throws if it cannot be parsed. */
  selects(labels: Readonly<Record<string, string>> | undefined): boolean;
  /** Sets the wanted replicas, as a PUT does. */
  set(replicas: number, writer: Writer): void;
}

/**
 * The objects of an API server, as controllers read and write them: at once, unless writes wait, and without requests. Kinds are named by their `storage`, group and
 * plural: `/pods`, `apps/deployments`. Writes of kinds that the server does not have are ignored; the given objects are copied.
 */
export interface ControllerObjects {
  get(storage: string, namespace: string | undefined, name: string): StoredObject | undefined;
  /** Sorted by namespace and name; without a namespace those of all namespaces. */
  list(storage: string, namespace?: string): StoredObject[];
  /**
   * Calls the listener with every existing object as added, then with every change, in order and before the write returns. Returns a function
   * that removes it.
   */
  onChange(listener: (change: StoredChange) => void): () => void;
  /** Whether writes wait, such as for a webhook: controllers pause until they are done. Default: they never do. */
  isWaiting?(): boolean;
  /** Calls the listener when no write waits any more. */
  onResume?(listener: () => void): void;
  /** Loads a module; controllers pause until it is loaded. Default: they do not pause. */
  load?(load: () => Promise<void>): Promise<void>;
  /** Whether the server has the kind, in any version. */
  hasKind(group: string, kind: string): boolean;
  /** All kinds with a namespace. */
  namespacedStorages(): Iterable<string>;
  /** Creates an object as a POST does. Returns it as stored, or undefined if the write waits or has no effect. */
  create(storage: string, object: StoredObject, options: Writer & { namespace: string }): StoredObject | undefined;
  /** Replaces an object, or its subresource, as a PUT does: with the rules of its kind. */
  replace(storage: string, before: StoredObject, after: StoredObject, options: Writer & { subresource?: string }): void;
  /** Replaces an object without the rules of its kind. The subresource is only noted in the managed fields. */
  overwrite(storage: string, before: StoredObject, after: StoredObject, options: Writer & { subresource?: string }): void;
  /** Deletes an object as a DELETE does: it may stay for its finalizers and its grace period. Default user: the controller manager. */
  delete(storage: string, object: StoredObject, options?: { gracePeriodSeconds?: number; propagationPolicy?: string; user?: string }): void;
  /** Reads the Scale of an object, in any version of its kind. Throws as a GET does. */
  scale(target: { apiVersion?: string; kind: string; name: string }, namespace: string): TargetScale;
  /** Assigns a pod to a node, as its subresource `binding` does. */
  bind(pod: StoredObject & Pod, nodeName: string, writer: Writer): void;
}

/** Location of an object. */
export interface Place {
  storage: string;
  namespace?: string;
  name: string;
}

export const placeOf = (storage: string, { metadata: { namespace, name = '' } }: StoredObject): Place => ({
  storage,
  name,
  ...(namespace && { namespace }),
});

export const placeKey = ({ storage, namespace, name }: Place): string => `${storage} ${namespace ?? ''}/${name}`;

/** The kube-controller-manager, which runs most controllers. */
export const controllerManager: Writer = {
  user: { username: 'system:kube-controller-manager' },
  fieldManager: 'kube-controller-manager',
};
