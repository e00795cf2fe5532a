import type { PodCacheEntry, PodRuntimeStatus } from '@nodeagent/api';

/** UIDs of the cached pods that have a running container or a ready sandbox, or may have one because their status is an error. */
export function* runningPodUids(
  entries: Iterable<readonly [podUid: string, entry: Pick<PodCacheEntry, 'status' | 'error'>]>,
): Iterable<string> {
  for (const [uid, { status, error }] of entries) {
    if (error !== undefined || hasRunning(status)) yield uid;
  }
}

/** IDs of the running containers of the cached pods. */
export function* runningContainerIds(entries: Iterable<readonly [podUid: string, entry: Pick<PodCacheEntry, 'status'>]>): Iterable<string> {
  for (const [, { status }] of entries) {
    for (const { id, state } of status?.containerStatuses ?? []) if (state === 'running') yield id;
  }
}

function hasRunning(status: PodRuntimeStatus | undefined): boolean {
  if (status === undefined) return false;
  return status.containerStatuses.some(({ state }) => state === 'running') || status.sandboxStatuses.some(({ state }) => state === 'ready');
}
