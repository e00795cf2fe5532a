/** `runtimeRequestTimeout` of a kubelet, in milliseconds. */
export const defaultRequestTimeoutMs = 120_000;

/** Beyond what a timer counts a deadline means nothing. */
export const longestTimeoutMs = 2 ** 31 - 1;

/**
 * The deadline that a kubelet gives a call, in milliseconds from now; 0 is none.
 *
 * Most calls have `requestTimeoutMs`. Twice as long: RunPodSandbox, which waits for the network. StopContainer has the grace period on
 * top; ExecSync its own timeout on top, and none when the command has none; CheckpointContainer whichever of the two is longer.
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
  return timeoutMs > longestTimeoutMs ? 0 : timeoutMs;
}
