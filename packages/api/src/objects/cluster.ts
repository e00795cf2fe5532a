import type { LocalObjectReference, ObjectMeta, ObjectReference, ResourceList } from './meta.js';
import type { Toleration } from './pod.js';

/** A namespace as plain API JSON (`v1`, `Namespace`). */
export interface Namespace {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: { finalizers?: string[] };
  /** `Active` or `Terminating`. */
  status?: { phase?: string };
}

/** A service account as plain API JSON (`v1`, `ServiceAccount`). */
export interface ServiceAccount {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  secrets?: ObjectReference[];
  imagePullSecrets?: LocalObjectReference[];
  automountServiceAccountToken?: boolean;
}

/** A runtime class (`node.k8s.io/v1`, `RuntimeClass`). */
export interface RuntimeClass {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  /** The name of the handler in the runtime. */
  handler: string;
  /** Resources of a pod in addition to its containers. */
  overhead?: { podFixed?: ResourceList };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: Toleration[] };
}
