import type { RequestUser } from './user.js';

/** A write before it is executed. */
export interface AdmissionRequest {
  user: RequestUser;
  verb: 'create' | 'update' | 'delete';
  group: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name: string;
  /** The new object; absent for a deletion. */
  object?: object;
  /** The stored object; absent for a creation. */
  before?: object;
}
