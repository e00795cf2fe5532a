import type { ApiObject } from '../objects.js';

/** One change of one object, in the order of revisions. */
export interface StoreEvent {
  revision: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  storage: string;
  /** As it is now; of a deleted one its last state, with the revision of the deletion. */
  object: ApiObject;
  previous?: ApiObject;
}
