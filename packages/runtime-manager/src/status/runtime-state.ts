/** The observed state of the container runtime. Times are milliseconds of the clock's `monotonic()`. */
export interface RuntimeState {
  now: number;
  /** When the pending status request was sent; undefined if none is pending. */
  requestedAt: number | undefined;
  /** When the runtime last responded without an error. */
  lastAnswerAt: number | undefined;
  /** Why the last status request failed; empty if it succeeded. */
  lastFailure: string;
  /** Why the runtime reports that it is not ready; empty if it is. */
  notReadyMessage: string;
  /** Why the pod lifecycle event generator is not healthy. */
  plegError: string | undefined;
}

export interface RuntimeStateThresholds {
  /** A request that is pending for this long counts as failed. */
  runtimeStatusPeriodMs: number;
  /** Maximum age of the last response; the runtime counts as down after it. */
  runtimeStatusThresholdMs: number;
}

/**
 * Why pods cannot be synced now; empty if they can. The runtime is down if its last response is too old, if it reports that it is not ready, or
 * if the PLEG is unhealthy. The kubelet's `runtimeState.runtimeErrors`.
 */
export function runtimeStateErrors(state: RuntimeState, thresholds: RuntimeStateThresholds): string[] {
  const { now, lastAnswerAt, notReadyMessage, plegError } = state;
  const isDown = lastAnswerAt === undefined || now - lastAnswerAt > thresholds.runtimeStatusThresholdMs;
  return [
    ...(isDown ? [downMessage(state, thresholds)] : []),
    ...(notReadyMessage ? [`container runtime not ready: ${notReadyMessage}`] : []),
    ...(plegError ? [`PLEG is not healthy: ${plegError}`] : []),
  ];
}

function downMessage(
  { now, requestedAt, lastAnswerAt, lastFailure }: RuntimeState,
  { runtimeStatusPeriodMs }: RuntimeStateThresholds,
): string {
  if (lastFailure) return lastFailure;
  if (requestedAt !== undefined && now - requestedAt >= runtimeStatusPeriodMs) return 'container runtime is down: it does not respond';
  return lastAnswerAt === undefined ? 'container runtime status check may not have completed yet' : 'container runtime is down';
}

/** Whether two lists of {@link runtimeStateErrors} differ in more than how long a condition has lasted. */
export function runtimeErrorsChanged(before: readonly string[] | undefined, after: readonly string[]): boolean {
  if (before?.length !== after.length) return true;
  return after.some((error, index) => withoutDurations(error) !== withoutDurations(before[index] ?? ''));
}

const withoutDurations = (error: string) => error.replace(/\d[\d.]*(h|m|s|ms|µs)(?=\W|\d|$)/g, '');
