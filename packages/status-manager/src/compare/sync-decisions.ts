import type { Pod, PodStatus } from '@nodeagent/api';
import { isMirrorPod, isTerminalPhase } from '@nodeagent/api/helpers';
import { equalByKubelet } from './equal.js';
import { normalizeStatus } from './normalize.js';

/** Whether the API server's pod (the mirror pod of a static one) has another status than this node's, so that it must be written again. */
export function needsReconcile(apiPod: Pod, status: PodStatus): boolean {
  return !equalByKubelet(normalizeStatus(apiPod, apiPod.status ?? {}), status);
}

/**
 * Whether the pod's deletion in the API server can be completed: deletion was requested, the written phase is terminal, and the pod's
 * worker has finished.
 */
export function canBeDeleted(apiPod: Pod, apiStatus: PodStatus, podIsFinished: boolean): boolean {
  return !!apiPod.metadata?.deletionTimestamp && !isMirrorPod(apiPod) && isTerminalPhase(apiStatus.phase) && podIsFinished;
}
