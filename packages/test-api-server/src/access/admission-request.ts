import type { ServedResource } from '../registry/resource.js';
import type { RequestUser } from './user.js';

/** A write before it is executed, or a connection to a pod or node. */
export interface AdmissionRequest {
  user: RequestUser;
  verb: 'create' | 'update' | 'delete' | 'connect';
  group: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name: string;
  /** The new object; absent for a deletion. Mutating plugins change it. */
  object?: object;
  /** The stored object; absent for a creation. */
  before?: object;
  /** The resource in the version of the request. */
  definition: ServedResource;
  dryRun?: boolean;
  /** The options of the request, such as `CreateOptions`. */
  options?: Readonly<Record<string, unknown>>;
  /** Sets the defaults of a new object in all its fields. Default: there are none. */
  setDefaults?(): void;
  /** Sends the client a warning. Default: it is dropped. */
  warn?(text: string): void;
  /** Adds an annotation to the audit event. Default: it is dropped. */
  annotate?(key: string, value: string): void;
}
