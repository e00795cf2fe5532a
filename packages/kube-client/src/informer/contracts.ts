import type { Informer, KubeObject, NodeAgentError } from '@nodeagent/api';

/** A change of the connection between an informer's cache and the API server. */
export type InformerEvent =
  /** The watch is established. Repeated after each reconnection, including the periodic ones (every 5 to 10 minutes). */
  | { type: 'connected'; resourceVersion: string }
  /** The cache was compared with a list; listeners received only the differences. */
  | { type: 'relisted'; resourceVersion: string; objects: number; added: number; updated: number; deleted: number }
  /** The server does not respond, or rejects requests: the cache may be stale since `since` (milliseconds since 1970). Once until `connected`. */
  | { type: 'stale'; since: number; error: NodeAgentError };

/** An {@link Informer} that also reports the state of its connection. */
export interface KubeInformer<T extends KubeObject> extends Informer<T> {
  /** Whether the watch is established: true from `connected` to `stale`. */
  readonly isCurrent: boolean;
  /** Adds a listener, which is called synchronously and must not throw. Returns a function that removes it. */
  onEvent(listener: (event: InformerEvent) => void): () => void;
}
