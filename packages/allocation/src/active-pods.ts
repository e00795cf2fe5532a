import type { Pod, PodWorkers, StatusManager } from '@nodeagent/api';
import { isTerminalPhase, podUid } from '@nodeagent/api/helpers';

export interface ActivePodsOptions {
  /** The pods of all sources, without mirror pods. */
  desiredPods(): readonly Pod[];
  podWorkers: Pick<PodWorkers, 'isPodKnownTerminated' | 'isPodTerminationRequested'>;
  statusManager: Pick<StatusManager, 'getPodStatus'>;
}

/**
 * The active pods, which use the node's resources: excludes rejected and terminated pods. A pod in a terminal phase whose worker is still
 * terminating it may have running containers and is included. The kubelet's `GetActivePods`.
 */
export function activePods({ desiredPods, podWorkers, statusManager }: ActivePodsOptions): Pod[] {
  return desiredPods().filter((pod) => {
    const uid = podUid(pod);
    if (podWorkers.isPodKnownTerminated(uid)) return false;
    const hasEnded = isTerminalPhase(pod.status?.phase) || isTerminalPhase(statusManager.getPodStatus(uid)?.phase);
    return !hasEnded || podWorkers.isPodTerminationRequested(uid);
  });
}
