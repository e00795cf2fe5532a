/** A resource that is too scarce for a pod: CPU in millicores, other resources in whole units. */
export interface Shortage {
  resource: string;
  requested: bigint;
  used: bigint;
  /** The node's allocatable amount. */
  capacity: bigint;
}

/** An amount of a resource that preemption must free. */
export interface ResourceRequirement {
  resource: string;
  quantity: bigint;
}

/** The amount that preemption must free. */
export function missingAmount({ resource, requested, used, capacity }: Shortage): ResourceRequirement {
  return { resource, quantity: requested - (capacity - used) };
}
