import type { QuantityText } from '../objects/meta.js';

/** What eviction keeps free of a resource of the node, so that pods cannot be given it. */
export interface EvictionReserve {
  /** As the node's capacity names it, such as `memory`. */
  resource: string;
  /** An amount, or a part of the capacity: 0.1 is 10 %. */
  value: { quantity: QuantityText } | { percentage: number };
}
