/** An RFC 3339 time, as Kubernetes writes it in JSON (`metav1.Time`: whole seconds, UTC). */
export type Time = string;

/** A resource amount in Kubernetes notation, such as `100m` or `1Gi`; {@link Quantity} computes with it. */
export type QuantityText = string;

/** Amounts by resource name (`cpu`, `memory`, `ephemeral-storage`, `hugepages-2Mi`, `example.com/gpu`). */
export type ResourceList = Record<string, QuantityText>;

/** A number, or a name that stands for one, such as that of a container port. */
export type IntOrString = number | string;

/** The metadata of every object: Kubernetes API conventions, "Metadata". */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  /** Grows with each change of the spec. */
  generation?: number;
  creationTimestamp?: Time | null;
  /** Set when deletion was requested; the object exists until its finalizers are removed and its grace period has ended. */
  deletionTimestamp?: Time | null;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** A reference by name inside the referrer's namespace. */
export interface LocalObjectReference {
  name?: string;
}

/** A reference to any object or to a part of it. */
export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  /** The part of the object, such as `spec.containers{web}`. */
  fieldPath?: string;
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  operator: string;
  values?: string[];
}
