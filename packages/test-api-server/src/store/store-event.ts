import type { ApiObject } from '../objects.js';

/** One change of one object, in the order of revisions. */
export interface StoreEvent {
  revision: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  storage: string;
  /** The new state; for a deletion the last state, with the revision of the deletion. */
  object: ApiObject;
  previous?: ApiObject;
  /** Name of the user who wrote; undefined for the server itself. */
  user?: string;
}
