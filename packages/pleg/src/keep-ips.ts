import type { PodRuntimeStatus } from '@nodeagent/api';

/**
 * The status with the addresses that the pod had before, if it has none now because no sandbox of it is ready: an ended pod keeps
 * reporting the addresses it ran with. Otherwise the status as it is.
 */
export function keepIps(status: PodRuntimeStatus, previous: PodRuntimeStatus | undefined): PodRuntimeStatus {
  if (status.ips.length > 0 || previous === undefined || previous.ips.length === 0) return status;
  if (status.sandboxStatuses.some(({ state }) => state === 'ready')) return status;
  return { ...status, ips: previous.ips };
}
