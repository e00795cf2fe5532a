import type { QuantityText } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';

/** A resource that is too scarce for a pod: plain data, which `JSON.stringify` keeps. */
export interface Shortage {
  resource: string;
  requested: QuantityText;
  used: QuantityText;
  /** The node's allocatable amount. */
  capacity: QuantityText;
}

/** An amount of a resource that preemption must free. */
export interface ResourceRequirement {
  resource: string;
  quantity: QuantityText;
}

/** The amount that preemption must free. */
export function missingAmount({ resource, requested, used, capacity }: Shortage): ResourceRequirement {
  const free = Quantity.parse(capacity).sub(Quantity.parse(used));
  return { resource, quantity: Quantity.parse(requested).sub(free).toString() };
}

/** The amount as an integer, rounded up: CPU in millicores, other resources in whole units. */
export function integerAmount(resource: string, quantity: Quantity): bigint {
  return resource === 'cpu' ? quantity.milliValue() : quantity.value();
}
