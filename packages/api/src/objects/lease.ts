import type { ObjectMeta, Time } from './meta.js';

/** A lease as plain API JSON (`coordination.k8s.io/v1`, `Lease`): a node's heartbeat. */
export interface Lease {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    /** With microseconds (`metav1.MicroTime`). */
    acquireTime?: Time | null;
    /** With microseconds (`metav1.MicroTime`). */
    renewTime?: Time | null;
    leaseTransitions?: number;
  };
}
