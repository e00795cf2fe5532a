import { isTerminalPhase, type Pod, type PodWorkers, podUid, type StatusManager } from '@nodeagent/api';

export interface ActivePodsOptions {
  /** Every pod that shall run, without mirror pods. */
  desiredPods(): readonly Pod[];
  podWorkers: Pick<PodWorkers, 'isPodKnownTerminated' | 'isPodTerminationRequested'>;
  statusManager: Pick<StatusManager, 'getPodStatus'>;
}

/** The pods that live on the node and take of its resources: not those that were rejected or have ended. The kubelet's GetActivePods. */
export function activePods({ desiredPods, podWorkers, statusManager }: ActivePodsOptions): Pod[] {
  return desiredPods().filter((pod) => {
    const uid = podUid(pod);
    if (podWorkers.isPodKnownTerminated(uid)) return false;
    const hasEnded = isTerminalPhase(pod.status?.phase) || isTerminalPhase(statusManager.getPodStatus(uid)?.phase);
    // One that is being ended may still have running containers.
    return !hasEnded || podWorkers.isPodTerminationRequested(uid);
  });
}
