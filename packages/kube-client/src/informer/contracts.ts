import type { Informer, KubeObject, NodeAgentError } from '@nodeagent/api';

/** What became of the connection between a copy and the API server. */
export type InformerEvent =
  /** The server streams changes: the copy follows it. Again after each reconnection, the planned ones too (every 5 to 10 minutes). */
  | { type: 'connected'; resourceVersion: string }
  /** The copy was compared with a list; only the differences were handed to the listeners. */
  | { type: 'relisted'; resourceVersion: string; objects: number; added: number; updated: number; deleted: number }
  /** The server does not answer, or refuses: the copy may lag since `since` (milliseconds since 1970). Once until `connected`. */
  | { type: 'stale'; since: number; error: NodeAgentError };

/** An {@link Informer} that also tells about its connection. */
export interface KubeInformer<T extends KubeObject> extends Informer<T> {
  /** Whether the copy follows the server: true from `connected` to `stale`. */
  readonly current: boolean;
  /** Called synchronously; must not throw. Returns how to stop that. */
  onEvent(listener: (event: InformerEvent) => void): () => void;
}
