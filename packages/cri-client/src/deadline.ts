/** `runtimeRequestTimeout` of a kubelet, in milliseconds. */
export const defaultRequestTimeoutMs = 120_000;

/** The maximum delay of a Node timer; longer deadlines count as none. */
export const maxTimeoutMs = 2 ** 31 - 1;

/**
 * The deadline of a call as a kubelet sets it, in milliseconds from now; 0 for none.
 *
 * Most calls have `requestTimeoutMs`. RunPodSandbox, which waits for the network, has twice as long. StopContainer adds the
 * grace period; ExecSync adds its own timeout, and has no deadline without one; CheckpointContainer has the longer of the two.
 * PullImage and all streams have none.
 */
export function callTimeoutMs(
  method: { name: string; streams: boolean },
  /** The `timeout` of the request in seconds, for the requests that have one. */
  requested: bigint,
  requestTimeoutMs: number,
): number {
  if (requestTimeoutMs === 0 || method.streams) return 0;
  const requestedMs = Math.max(0, Number(requested) * 1000);
  let timeoutMs = requestTimeoutMs;
  switch (method.name) {
    case 'PullImage':
      return 0;
    case 'RunPodSandbox':
      timeoutMs = requestTimeoutMs * 2;
      break;
    case 'StopContainer':
      timeoutMs = requestTimeoutMs + requestedMs;
      break;
    case 'ExecSync':
      timeoutMs = requestedMs === 0 ? 0 : requestTimeoutMs + requestedMs;
      break;
    case 'CheckpointContainer':
      timeoutMs = Math.max(requestTimeoutMs, requestedMs);
      break;
  }
  return timeoutMs > maxTimeoutMs ? 0 : timeoutMs;
}
