import type { ObjectMeta, ObjectReference, Time } from './meta.js';

/** An event as plain API JSON (`v1`, `Event`): something a user should know about an object. */
export interface Event {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  source?: { component?: string; host?: string };
  firstTimestamp?: Time | null;
  lastTimestamp?: Time | null;
  /** Number of occurrences. */
  count?: number;
  /** `Normal` or `Warning`. */
  type?: string;
  eventTime?: Time | null;
  reportingComponent?: string;
  reportingInstance?: string;
}
