import type { PodRuntimeStatus } from '@nodeagent/api';

/**
 * The status with the pod's previous IP addresses if it has none now because no sandbox is ready: a terminated pod keeps reporting its
 * addresses. Otherwise the unchanged status.
 */
export function keepIps(status: PodRuntimeStatus, previous: PodRuntimeStatus | undefined): PodRuntimeStatus {
  if (status.ips.length > 0 || previous === undefined || previous.ips.length === 0) return status;
  if (status.sandboxStatuses.some(({ state }) => state === 'ready')) return status;
  return { ...status, ips: previous.ips };
}
