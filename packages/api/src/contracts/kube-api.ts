import type { ObjectMeta } from '../objects/meta.js';
import type { Startable } from './lifecycle.js';

/** Any object of the Kubernetes API. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** Which object: `namespace` is absent for what has none, such as a Node. */
export interface ObjectKey {
  namespace?: string;
  name: string;
}

/** Options of every call to the API server. */
export interface ApiCallOptions {
  signal?: AbortSignal;
}

/**
 * How a patch is to be understood: `strategic` (strategic merge, built-in kinds only), `merge` (RFC 7396), `json` (RFC 6902, a list of
 * operations) or `apply` (server-side apply).
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
  /** Who manages the fields; needed for `apply`. */
  fieldManager?: string;
  /** Takes over fields that others manage; only with `apply`. */
  force?: boolean;
}

export interface DeleteOptions extends ApiCallOptions {
  /** Default: the object's own. */
  gracePeriodSeconds?: number;
  /** The deletion is refused (`Conflict`) if the object is another one by now. */
  preconditions?: { uid?: string; resourceVersion?: string };
}

/*
 * The calls to the API server, one interface each, so that a subsystem asks for no more than it makes. All reject with a NodeAgentError
 * of code `ApiError` if the server refused (see apiStatusOf), and with one that is retryable if it could not be reached.
 * Objects that are handed out are never changed by the receiver.
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

/** What the API server answers to a refused call (`v1`, `Status`), as far as callers decide by it. */
export interface ApiStatus {
  /** The HTTP status, such as 404. */
  code: number;
  /** `NotFound`, `AlreadyExists`, `Conflict`, `Forbidden`, `Invalid`, `Gone`, `Expired`, `TooManyRequests`, ... */
  reason: string;
  message: string;
  /** From Retry-After, in milliseconds. */
  retryAfterMs?: number;
  /** `details.causes` of the Status, such as a namespace that is being terminated (`NamespaceTerminating`). */
  causes?: readonly { reason?: string; message?: string; field?: string }[];
}

/** A change that an {@link Informer} saw; `old` is absent for an added object, `object` for a deleted one. */
export interface ObjectChange<T extends KubeObject> {
  old?: T;
  object?: T;
}

/**
 * A local copy of one kind of objects, or of a selection of them, kept current by list and watch. Listeners are called synchronously
 * and in order, must not block and must not throw.
 */
export interface Informer<T extends KubeObject> extends Startable {
  /** Whether the first list is there. Until then the copy is empty. */
  readonly synced: boolean;
  /** A snapshot in no particular order. */
  list(): readonly T[];
  get(key: ObjectKey): T | undefined;
  /** Called for every change, and once without a change when the first list is there, also if it is empty. Returns how to stop that. */
  onChange(listener: (change: ObjectChange<T> | undefined) => void): () => void;
}

/** Makes informers of one kind. */
export interface InformerSource<T extends KubeObject> {
  informer(selection?: { namespace?: string; fieldSelector?: string; labelSelector?: string }): Informer<T>;
}
