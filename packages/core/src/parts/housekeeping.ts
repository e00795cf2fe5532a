import type { Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { runningPodUids } from '@nodeagent/pleg/decisions';
import type { AgentParts, Components } from '../components.js';
import { createHousekeeping } from '../pods/housekeeping.js';

/** Cleans up after pods. */
export function housekeeping(c: Components): AgentParts['housekeeping'] {
  const { host, state, common, podWorkers, runtime, imageManager, containerGc, pleg, statusManager, probeManager, volumeManager, cluster } =
    c;
  const { podManager, podCache, sources } = state;
  return createHousekeeping({
    pods: () => podManager.podsAndMirrorPods(),
    allSourcesReady: sources.areAllSeen,
    podWorkers,
    runtime: {
      getPods: (all, signal) => runtime.getPods(all, signal),
      collectBackOff: () => {
        runtime.collectBackOff();
        imageManager.collectBackOff();
      },
    },
    isObserved: (uid) => podCache.peek(uid) !== undefined,
    requestCollection: () => containerGc.requestCollection(),
    observedRunning: () => (pleg.unhealthyReason() === undefined ? runningPodUids(podCache.entries()) : undefined),
    statusManager,
    podDirs: host.podDirs,
    probeManager,
    volumeManager,
    containerManager: c.containerManager,
    ...(cluster && {
      deleteMirrorPod: (mirrorPod: Pod) => void cluster.mirrorPods.deleteOrphan(mirrorPod),
      reconcileMirrorPod: (pod: Pod) => void cluster.mirrorPods.reconcile(pod, podManager.mirrorPodByPod(pod)),
    }),
    retain: (known) => retain(c, known),
    logger: common.logger,
  });
}

/** Makes every part forget the pods that are not in the set. */
function retain(
  { state, common, recorder, resizes, userNamespaces, allocation, removedPods }: Components,
  known: ReadonlySet<string>,
): void {
  resizes.retain(known);
  userNamespaces
    ?.retain(known)
    .catch((error) => common.logger.warn({ err: error }, 'releasing user namespaces failed; the next housekeeping retries'));
  state.backOffs.retain(known);
  allocation.removeOrphanedPods(known);
  removedPods.retain(known);
  recorder.retain(new Set([...known, ...Array.from(removedPods.pods(), podUid)]));
}
