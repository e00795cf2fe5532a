import type { Pod, PodStatus, VersionedPodStatus } from '@nodeagent/api';
import { isMirrorPod, isTerminalPhase } from '@nodeagent/api/helpers';
import { mergePodStatus } from '../compare/merge.js';
import { canBeDeleted } from '../compare/sync-decisions.js';
import type { StatusPatch } from './patch-values.js';
import { statusPatch } from './status-patch.js';

/** Input of {@link nextStatusRequest}. */
export interface PodStatusRequestInput {
  /** The newest known object in the API server: the pod, or the mirror pod of a static pod. */
  apiPod: Pod;
  entry: Pick<VersionedPodStatus, 'status' | 'podIsFinished'>;
  /** Whether this status was already sent. */
  sent: boolean;
  /** Whether containers may still run or resources are still held: the pod must not be reported as terminal. */
  couldHaveRunningContainers: boolean;
  /** Clock time in milliseconds. */
  now: number;
}

/** The next request for a pod; undefined if the API server is up to date. */
export type PodStatusRequest = { verb: 'patch'; status: StatusPatch } | { verb: 'delete' } | undefined;

/**
 * Returns the next request: a patch with the changes of the status; then, if the pod is being deleted and finished on this node, its final
 * deletion.
 */
export function nextStatusRequest({ apiPod, entry, sent, couldHaveRunningContainers, now }: PodStatusRequestInput): PodStatusRequest {
  const apiStatus: PodStatus = apiPod.status ?? {};
  if (!sent) {
    const merged = keepTerminalPhase(
      apiPod,
      mergePodStatus({ pod: apiPod, apiStatus, newStatus: entry.status, couldHaveRunningContainers, now }),
    );
    const status = statusPatch(apiStatus, merged);
    if (status) return { verb: 'patch', status };
  }
  return canBeDeleted(apiPod, apiStatus, entry.podIsFinished) ? { verb: 'delete' } : undefined;
}

/** A terminal phase never changes (Kubernetes documentation, "Pod Lifecycle: Pod phase"), except of a mirror pod: a static pod may restart. */
function keepTerminalPhase(apiPod: Pod, next: PodStatus): PodStatus {
  const { phase, reason, message } = apiPod.status ?? {};
  return isTerminalPhase(phase) && next.phase !== phase && !isMirrorPod(apiPod) ? { ...next, phase, reason, message } : next;
}
