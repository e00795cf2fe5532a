import { rejectPod } from '@nodeagent/allocation';
import { isMirrorPod, isTerminalPhase, podUid } from '@nodeagent/api/helpers';
import type { AgentParts, Components } from '../components.js';
import { createReplacedStaticPods } from '../pods/replaced-static-pods.js';
import { createSyncHandler } from '../pods/sync-handler.js';

/** Dispatches the sync loop's events to the pod workers. */
export function handler(c: Components): AgentParts['handler'] {
  const { state, common, ready, podWorkers, runtime, statusManager, allocation, cluster, volumes, containerGc, removedPods, housekeeping } =
    c;
  const { clock, recorder, logger } = common;
  const { podManager, sources } = state;
  return createSyncHandler({
    pods: podManager,
    podWorkers,
    findReplaced: createReplacedStaticPods({ runtime, podWorkers, logger, isDesired: (uid) => podManager.podByUid(uid) !== undefined }),
    statusManager,
    allocation,
    onPodRejected(pod, refusal) {
      cluster?.objects?.unregisterPod(pod);
      rejectPod(pod, refusal, { recorder, statusManager });
    },
    onSourceSeen: (source) => {
      sources.add(source);
      volumes.reconciling.podsChanged();
    },
    allSourcesReady: sources.areAllSeen,
    onContainerDied: containerGc.containerDied,
    onPodAdded(pod) {
      removedPods.delete(podUid(pod));
      // Synchronously: the volume manager may reconcile before the pod's first sync.
      if (!isMirrorPod(pod) && !isTerminalPhase(pod.status?.phase)) cluster?.objects?.registerPod(pod);
    },
    onPodRemoved: (pod) => removedPods.add(pod, statusManager.getPodStatus(podUid(pod))),
    housekeeping: async () => {
      const settled = await housekeeping();
      volumes.reconciling.podsChanged();
      if (sources.areAllSeen()) ready.resolve();
      return settled;
    },
    now: clock.now,
    logger,
  });
}
