import type {
  AllocationManager,
  Clock,
  Pod,
  PodWorkers,
  ProbeManager,
  ResizableRuntime,
  ResourceStatus,
  Runtime,
  StatusManager,
} from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { generateApiPodStatus, type ReasonCache, type ResizeConditions } from '@nodeagent/status-manager';
import { podResourcesFromSpec } from '@nodeagent/status-manager/decisions';
import type { PodSyncerOptions } from './pod-syncer.js';

export interface PodStatusGeneratorOptions {
  runtime: Pick<Runtime, 'runtimeName'>;
  resizing: ResizableRuntime;
  statusManager: Pick<StatusManager, 'getPodStatus'>;
  probeManager: Pick<ProbeManager, 'view' | 'probeNow'>;
  podWorkers: Pick<PodWorkers, 'isPodTerminationRequested'>;
  allocation: Pick<AllocationManager, 'resizeConditions' | 'isResizeUndecided'>;
  /** The pod's current spec, as its source delivered it. */
  podByUid(uid: string): Pod | undefined;
  resizes: Pick<ResizeConditions, 'get' | 'observe'>;
  startFailures: Pick<ReasonCache, 'reasonsOf'>;
  hostIps(): readonly string[];
  /** The health of the pod's devices by container. Default: no container has devices. */
  resourceHealth?: ((pod: Pod) => Readonly<Record<string, ResourceStatus[]>>) | undefined;
  clock: Clock;
}

/**
 * Generates a pod's API status from the observed containers and the subsystems; adds probe workers for containers that have just started.
 */
export function createPodStatusGenerator(options: PodStatusGeneratorOptions): PodSyncerOptions['generateStatus'] {
  const {
    runtime,
    resizing,
    statusManager,
    probeManager,
    podWorkers,
    allocation,
    podByUid,
    resizes,
    startFailures,
    hostIps,
    resourceHealth,
    clock,
  } = options;

  /**
   * The pod with the generation whose resources are allocated. A status with a later `observedGeneration` would report its resize as done.
   */
  const decided = (pod: Pod): Pod => {
    const desired = podWorkers.isPodTerminationRequested(podUid(pod)) ? undefined : podByUid(podUid(pod));
    if (desired === undefined || !allocation.isResizeUndecided(desired)) return pod;
    const { generation: _undecided, ...metadata } = pod.metadata ?? {};
    const generation = (statusManager.getPodStatus(podUid(pod)) ?? pod.status)?.observedGeneration;
    return { ...pod, metadata: { ...metadata, ...(generation && { generation }) } };
  };

  return (updated, runtimeStatus, podIsTerminal) => {
    const pod = decided(updated);
    const uid = podUid(pod);
    const isEnding = podWorkers.isPodTerminationRequested(uid);
    const { status, containersToProbe } = generateApiPodStatus({
      pod,
      runtimeStatus,
      podIsTerminal,
      oldStatus: statusManager.getPodStatus(uid),
      runtimeName: runtime.runtimeName,
      waitingReasons: startFailures.reasonsOf(pod),
      hostIps: [...hostIps()],
      podResources: podResourcesFromSpec(pod, resizing.actuatedPod(pod)),
      resizeConditions: [
        ...allocation.resizeConditions(uid),
        ...(isEnding ? resizes.get(uid) : resizes.observe(pod, resizing.isPodResizeInProgress(pod, runtimeStatus))),
      ],
      resourceHealth: resourceHealth?.(pod),
      now: clock.now(),
      probes: probeManager.view(pod),
    });
    probeManager.probeNow(pod, containersToProbe);
    return status;
  };
}
