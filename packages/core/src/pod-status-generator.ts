import type { AllocationManager } from '@nodeagent/allocation';
import { type Clock, type PodWorkers, type ProbeManager, podUid, type Runtime, type StatusManager } from '@nodeagent/api';
import type { RuntimeManager } from '@nodeagent/runtime-manager';
import { generateApiPodStatus, podResourcesFromSpec, type ReasonCache, type ResizeConditions } from '@nodeagent/status-manager';
import type { PodSyncerOptions } from './pod-syncer.js';

export interface PodStatusGeneratorOptions {
  runtime: Pick<Runtime, 'runtimeName'> & Partial<Pick<RuntimeManager, 'actuatedPod' | 'isPodResizeInProgress'>>;
  statusManager: Pick<StatusManager, 'getPodStatus'>;
  probeManager: Pick<ProbeManager, 'view' | 'probeNow'>;
  podWorkers: Pick<PodWorkers, 'isPodTerminationRequested'>;
  allocation: Pick<AllocationManager, 'resizeConditions'>;
  resizes: Pick<ResizeConditions, 'get' | 'observe'>;
  startFailures: Pick<ReasonCache, 'reasonsOf'>;
  hostIps(): readonly string[];
  clock: Clock;
}

/** Makes a pod's API status of what was observed and of what the subsystems know of it; containers that have just started are probed. */
export function createPodStatusGenerator(options: PodStatusGeneratorOptions): PodSyncerOptions['generateStatus'] {
  const { runtime, statusManager, probeManager, podWorkers, allocation, resizes, startFailures, hostIps, clock } = options;
  return (pod, runtimeStatus, podIsTerminal) => {
    const uid = podUid(pod);
    const resizing = podWorkers.isPodTerminationRequested(uid) ? undefined : runtime.isPodResizeInProgress?.(pod, runtimeStatus);
    const { status, containersToProbe } = generateApiPodStatus({
      pod,
      runtimeStatus,
      podIsTerminal,
      oldStatus: statusManager.getPodStatus(uid),
      runtimeName: runtime.runtimeName,
      waitingReasons: startFailures.reasonsOf(pod),
      hostIps: [...hostIps()],
      podResources: podResourcesFromSpec(pod, runtime.actuatedPod?.(pod) ?? pod),
      resizeConditions: [
        ...allocation.resizeConditions(uid),
        ...(resizing === undefined ? resizes.get(uid) : resizes.observe(pod, resizing)),
      ],
      now: clock.now(),
      probes: probeManager.view(pod),
    });
    probeManager.probeNow(pod, containersToProbe);
    return status;
  };
}
