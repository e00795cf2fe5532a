import type { ObjectMeta } from '../objects/meta.js';
import type { Startable } from './lifecycle.js';

/** Any object of the Kubernetes API. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** The key of an object. `namespace` is absent for cluster-scoped objects, such as a Node. */
export interface ObjectKey {
  namespace?: string;
  name: string;
}

/** Options of every call to the API server. */
export interface ApiCallOptions {
  signal?: AbortSignal;
}

/**
 * The patch format: `strategic` (strategic merge, built-in kinds only), `merge` (RFC 7396), `json` (RFC 6902, a list of operations) or
 * `apply` (server-side apply).
 */
export type PatchType = 'strategic' | 'merge' | 'json' | 'apply';

export interface GetOptions extends ApiCallOptions {
  /** `'0'` allows an answer from the API server's cache. Default: the newest. */
  resourceVersion?: string;
}

export interface UpdateOptions extends ApiCallOptions {
  /** `status`, `resize`, ...: changes only that part. Default: everything but the status. */
  subresource?: string;
}

export interface PatchOptions extends UpdateOptions {
  /** Default `strategic`. */
  type?: PatchType;
  /** The field manager; required for `apply`. */
  fieldManager?: string;
  /** Takes ownership of fields that other managers own; only with `apply`. */
  force?: boolean;
}

export interface DeleteOptions extends ApiCallOptions {
  /** Default: the object's own. */
  gracePeriodSeconds?: number;
  /** The API server refuses the deletion (`Conflict`) if the object has another UID or resource version. */
  preconditions?: { uid?: string; resourceVersion?: string };
}

/*
 * One interface for each call to the API server, so that a subsystem requires only the calls that it makes. All reject with a
 * NodeAgentError: of code `ApiError` if the server refused the call (see apiStatusOf), retryable if the server was unreachable, with the detail
 * `stage: 'connect'` if nothing was sent. The caller must not change the returned objects.
 */

export interface ObjectGetter<T extends KubeObject> {
  get(key: ObjectKey, options?: GetOptions): Promise<T>;
}

export interface ObjectCreator<T extends KubeObject> {
  /** The namespace is the object's own. */
  create(object: T, options?: ApiCallOptions): Promise<T>;
}

export interface ObjectUpdater<T extends KubeObject> {
  /** Replaces the object; `Conflict` if its `resourceVersion` is not the newest. */
  update(object: T, options?: UpdateOptions): Promise<T>;
}

export interface ObjectPatcher<T extends KubeObject> {
  patch(key: ObjectKey, patch: unknown, options?: PatchOptions): Promise<T>;
}

export interface ObjectDeleter {
  delete(key: ObjectKey, options?: DeleteOptions): Promise<void>;
}

/** The API server's response to a refused call (`v1`, `Status`): the fields that callers evaluate. */
export interface ApiStatus {
  /** The HTTP status, such as 404. */
  code: number;
  /** `NotFound`, `AlreadyExists`, `Conflict`, `Forbidden`, `Invalid`, `Gone`, `Expired`, `TooManyRequests`, ... */
  reason: string;
  message: string;
  /** The value of the header Retry-After, in milliseconds. */
  retryAfterMs?: number;
  /** `details.causes` of the Status, such as a namespace that is being terminated (`NamespaceTerminating`). */
  causes?: readonly { reason?: string; message?: string; field?: string }[];
}

/** A change that an {@link Informer} observed; `old` is absent for an added object, `object` for a deleted one. */
export interface ObjectChange<T extends KubeObject> {
  old?: T;
  object?: T;
}

/**
 * A local copy of one kind of objects, or of a selection of them, kept current by list and watch. It calls its listeners synchronously and
 * in the order of the changes; listeners must not block or throw.
 */
export interface Informer<T extends KubeObject> extends Startable {
  /** Whether the first list has been received. Until then the copy is empty. */
  readonly hasSynced: boolean;
  /** A snapshot in no particular order. */
  list(): readonly T[];
  get(key: ObjectKey): T | undefined;
  /**
   * Calls the listener for every change, and once without a change after the first list, even if that is empty. Returns a function that
   * removes the listener.
   */
  onChange(listener: (change: ObjectChange<T> | undefined) => void): () => void;
}

/** Which objects an {@link Informer} accepts. */
export interface InformerChecks {
  /**
   * Why the informer refuses a received object: it logs the problem, and keeps the last version of the object that it accepted. Default: it
   * accepts every object with a name and a version.
   */
  problemOf?(object: unknown): string | undefined;
}

/** Creates informers of one kind. */
export interface InformerSource<T extends KubeObject> {
  informer(selection?: { namespace?: string; fieldSelector?: string; labelSelector?: string }, checks?: InformerChecks): Informer<T>;
}
