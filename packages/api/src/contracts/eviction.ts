import type { QuantityText } from '../objects/meta.js';

/** The amount of a node resource that a hard eviction threshold keeps free. It is subtracted from the node's allocatable. */
export interface EvictionReserve {
  /** The resource name as in the node's `status.capacity`, such as `memory`. */
  resource: string;
  /** An absolute quantity, or a fraction of the capacity: 0.1 is 10 %. */
  value: { quantity: QuantityText } | { percentage: number };
}
