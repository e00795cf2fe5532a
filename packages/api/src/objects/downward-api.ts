import type { QuantityText } from './meta.js';

/** A field of a pod, as environment variables and downward API volumes select it. */
export interface ObjectFieldSelector {
  apiVersion?: string;
  fieldPath: string;
}

/** A container's request or limit, as environment variables and downward API volumes select it. */
export interface ResourceFieldSelector {
  containerName?: string;
  resource: string;
  divisor?: QuantityText;
}
