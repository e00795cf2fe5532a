import type { Pod, PodUpdateCause, StatusManager } from '@nodeagent/api';
import { type ConfigHandlerOptions, createConfigHandler, type DesiredPods } from './config-handler.js';
import type { SyncHandler } from './sync-loop.js';

export interface SyncHandlerOptions extends ConfigHandlerOptions {
  pods: DesiredPods;
  statusManager: Pick<StatusManager, 'setContainerReadiness' | 'setContainerStartup'>;
  /** A container of a pod terminated; dead containers above the limit can be removed. */
  onContainerDied(podUid: string, containerId: string): void;
  housekeeping(): Promise<boolean>;
}

/** Turns the sync loop's input into updates of pod workers. */
export function createSyncHandler(options: SyncHandlerOptions): SyncHandler {
  const { pods, podWorkers, statusManager, onContainerDied, housekeeping, now } = options;
  const config = createConfigHandler(options);

  return {
    handleConfigUpdate: (update) => config.handleConfigUpdate(update),
    handlePodLifecycleEvent({ type, podUid: uid, containerId }) {
      if (type !== 'ContainerRemoved') {
        const pod = pods.podByUid(uid);
        if (pod !== undefined) syncPod(pod, { event: type, ...(containerId !== undefined && { containerId }) });
      }
      if (type === 'ContainerDied' && containerId !== undefined) onContainerDied(uid, containerId);
    },
    handleProbeUpdate({ type, podUid: uid, containerId, result }) {
      if (type === 'Readiness') statusManager.setContainerReadiness(uid, containerId, result === 'Success');
      if (type === 'Startup') statusManager.setContainerStartup(uid, containerId, result === 'Success');
      // A liveness success changes nothing.
      if (type !== 'Liveness' || result === 'Failure') syncPods([uid], `${type}Probe`);
    },
    syncPods,
    async housekeeping() {
      const isNoneWaiting = await config.addWaitingPods();
      return (await housekeeping()) && isNoneWaiting;
    },
  };

  function syncPods(uids: string[], event = 'Due'): void {
    for (const uid of uids) {
      const pod = pods.podByUid(uid);
      if (pod !== undefined) syncPod(pod, { event });
    }
  }

  function syncPod(pod: Pod, cause: PodUpdateCause): void {
    podWorkers.updatePod({ type: 'sync', pod, startTime: now(), cause });
  }
}
