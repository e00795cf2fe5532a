import { isMirrorPod, isTerminalPhase, type Pod, type PodStatus, type VersionedPodStatus } from '@nodeagent/api';
import { mergePodStatus } from '../compare/merge.js';
import { canBeDeleted } from '../compare/sync-decisions.js';
import { type StatusPatch, statusPatch } from './status-patch.js';

/** What {@link nextStatusRequest} decides by. */
export interface PodStatusRequestInput {
  /** The newest that is known of the pod at the API server: the pod itself, or a static pod's mirror. */
  apiPod: Pod;
  entry: Pick<VersionedPodStatus, 'status' | 'podIsFinished'>;
  /** The API server has this very status already. */
  sent: boolean;
  /** Containers may still run, or something of the pod is still held: it must not be reported as ended. */
  couldHaveRunningContainers: boolean;
  /** Clock time in milliseconds. */
  now: number;
}

/** The next request about a pod; none if the API server has it all. */
export type PodStatusRequest = { verb: 'patch'; status: StatusPatch } | { verb: 'delete' } | undefined;

/**
 * What to ask of the API server next: to write what is new in the status, then, when the pod's deletion was asked for and nothing is left of
 * it on the node, to delete it for good.
 */
export function nextStatusRequest({ apiPod, entry, sent, couldHaveRunningContainers, now }: PodStatusRequestInput): PodStatusRequest {
  const apiStatus: PodStatus = apiPod.status ?? {};
  if (!sent) {
    const merged = keepingTheEnd(
      apiPod,
      mergePodStatus({ pod: apiPod, apiStatus, newStatus: entry.status, couldHaveRunningContainers, now }),
    );
    const status = statusPatch(apiStatus, merged);
    if (status) return { verb: 'patch', status };
  }
  return canBeDeleted(apiPod, apiStatus, entry.podIsFinished) ? { verb: 'delete' } : undefined;
}

/** A pod that has ended did so in one way: Kubernetes documentation, "Pod Lifecycle: Pod phase". A mirror's static pod may begin anew. */
function keepingTheEnd(apiPod: Pod, next: PodStatus): PodStatus {
  const { phase, reason, message } = apiPod.status ?? {};
  return isTerminalPhase(phase) && next.phase !== phase && !isMirrorPod(apiPod) ? { ...next, phase, reason, message } : next;
}
