import type { ApiObject } from '../objects.js';
import type { StoreJournal } from './object-store.js';

/** What a server had when it stopped. */
export interface StoredState {
  /** The newest resourceVersion. */
  revision: number;
  objects: Iterable<[storage: string, object: ApiObject]>;
}

/**
 * Keeps the objects of a server from one run to the next: `fileStorage` of `@nodeagent/test-api-server/node`. Every change is recorded before
 * it is made; a write whose change cannot be recorded fails.
 */
export interface ServerStorage {
  /** Returns what the previous run left. Called once, before any change. `current`: all objects, for a new file without old changes. */
  open(current: () => Iterable<[storage: string, object: ApiObject]>): StoredState;
  readonly journal: StoreJournal;
  /** A value of the server, such as its keys, by name; kept with the objects. */
  value(name: string): string | undefined;
  setValue(name: string, value: string): void;
  /** Resolves once all changes so far are kept as the storage promises; clients get the answers to their writes after that. */
  flushed(): Promise<void>;
  /** Idempotent. */
  close(): void;
}
