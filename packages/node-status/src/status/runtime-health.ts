/** The state of the container runtime. Times are of `monotonic()`, in milliseconds. */
export interface RuntimeHealthInput {
  /** Time of the last successful status check; absent before the first one. */
  lastSync?: number;
  /** Age of `lastSync` from which the runtime is down. Default 30000. */
  thresholdMs?: number;
  /** Failing health checks: name (`PLEG`) and reason. */
  unhealthy?: readonly { name: string; reason: string }[];
  /** The runtime's RuntimeReady condition, if false. */
  notReady?: RuntimeConditionLike;
}

/** A condition of the runtime, as in CRI. */
export interface RuntimeConditionLike {
  type: string;
  status: boolean;
  reason: string;
  message: string;
}

/** Why the runtime cannot run pods; empty if it can. Kubernetes documentation, "Node Status". */
export function runtimeErrors({ lastSync, thresholdMs = 30_000, unhealthy = [], notReady }: RuntimeHealthInput, now: number): string[] {
  const errors: string[] = [];
  if (lastSync === undefined) errors.push('container runtime status check may not have completed yet');
  else if (now >= lastSync + thresholdMs) errors.push('container runtime is down');
  for (const { name, reason } of unhealthy) errors.push(`${name} is not healthy: ${reason}`);
  if (notReady) errors.push(`container runtime not ready: ${formatRuntimeCondition(notReady)}`);
  return errors;
}

/** Why pods have no network. `condition` is the runtime's NetworkReady; undefined before the first status. */
export function networkErrors(condition: RuntimeConditionLike | undefined): string[] {
  if (condition === undefined) return ['network state unknown'];
  return condition.status ? [] : [`container runtime network not ready: ${formatRuntimeCondition(condition)}`];
}

/** `RuntimeReady=false reason:R message:M`. */
export function formatRuntimeCondition({ type, status, reason, message }: RuntimeConditionLike): string {
  return `${type}=${status} reason:${reason} message:${message}`;
}
