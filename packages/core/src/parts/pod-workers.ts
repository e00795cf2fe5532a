import { createPodWorkers } from '@nodeagent/pod-workers';
import type { AgentParts, Components } from '../components.js';

/** Runs one worker for each pod. */
export function podWorkers(c: Components): AgentParts['podWorkers'] {
  const { settings, state, common, syncer, pleg, allocation, timeline } = c;
  return createPodWorkers({
    syncer,
    cache: state.podCache,
    ...common,
    workQueue: state.workQueue,
    syncFrequencyMs: settings.syncFrequencyMs,
    backOffPeriodMs: settings.backOffPeriodMs,
    requestRelist: (uid) => pleg.requestRelist(uid),
    onSynced: (uid, isUnchanged) => {
      if (!isUnchanged) c.syncLoop.scheduleHousekeeping();
      timeline.synced(uid, c.podWorkers);
    },
    allocatedPod: (pod) => allocation.updatePodFromAllocation(pod),
  });
}
