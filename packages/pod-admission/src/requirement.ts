/** What a pod lacks to fit: CPU in millicores, all else in whole units. */
export interface Shortage {
  resource: string;
  requested: bigint;
  used: bigint;
  /** What the node has for pods. */
  capacity: bigint;
}

/** How much of a resource has to become free. */
export interface ResourceRequirement {
  resource: string;
  quantity: bigint;
}

/** How much is missing. */
export function missingAmount({ resource, requested, used, capacity }: Shortage): ResourceRequirement {
  return { resource, quantity: requested - (capacity - used) };
}
