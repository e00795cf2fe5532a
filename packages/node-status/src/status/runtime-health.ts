/** What is known of the container runtime. Times are of `monotonic()`, in milliseconds. */
export interface RuntimeHealthInput {
  /** When it last said that it is ready; absent if it never did. */
  lastSync?: number;
  /** How long that may be ago. Default 30000. */
  thresholdMs?: number;
  /** Checks that fail: their names (`PLEG`) and why. */
  unhealthy?: readonly { name: string; reason: string }[];
  /** Its own RuntimeReady, if false. */
  notReady?: RuntimeConditionLike;
}

/** A condition as CRI tells it. */
export interface RuntimeConditionLike {
  type: string;
  status: boolean;
  reason: string;
  message: string;
}

/** Why no pods can be run by the runtime; none if they can. Kubernetes documentation, "Node Status". */
export function runtimeErrors({ lastSync, thresholdMs = 30_000, unhealthy = [], notReady }: RuntimeHealthInput, now: number): string[] {
  const errors: string[] = [];
  if (lastSync === undefined) errors.push('container runtime status check may not have completed yet');
  else if (now >= lastSync + thresholdMs) errors.push('container runtime is down');
  for (const { name, reason } of unhealthy) errors.push(`${name} is not healthy: ${reason}`);
  if (notReady) errors.push(`container runtime not ready: ${formatRuntimeCondition(notReady)}`);
  return errors;
}

/** Why pods have no network. `condition` is the runtime's NetworkReady; absent before it told the first one. */
export function networkErrors(condition: RuntimeConditionLike | undefined): string[] {
  if (condition === undefined) return ['network state unknown'];
  return condition.status ? [] : [`container runtime network not ready: ${formatRuntimeCondition(condition)}`];
}

/** `RuntimeReady=false reason:R message:M`. */
export function formatRuntimeCondition({ type, status, reason, message }: RuntimeConditionLike): string {
  return `${type}=${status} reason:${reason} message:${message}`;
}
