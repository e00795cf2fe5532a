import {
  type AllocationManager,
  type ImageManager,
  invalidOption,
  type PodLifecycleEventGenerator,
  type PodSource,
  type PodWorkers,
  type ProbeManager,
  type Runtime,
  type StatsProvider,
  type StatusManager,
  type StatusSink,
  type VolumeManager,
  type VolumePlugin,
} from '@nodeagent/api';
import type { ContainerManager } from '@nodeagent/container-manager';

/** A contract of `@nodeagent/api` and its required members; the type keeps both in step. */
interface Contract<T> {
  readonly name: string;
  readonly members: Readonly<Record<keyof T, true>>;
}

/** The required members of a contract. */
type RequiredOf<T> = { [K in keyof T as object extends Pick<T, K> ? never : K]: T[K] };

const startable = { start: true, stop: true } as const;

/** The contracts of parts by their names, of each part of a list, and that of volume plugins. */
export const contracts = {
  statusManager: {
    name: 'StatusManager',
    members: {
      ...startable,
      getPodStatus: true,
      setPodStatus: true,
      setContainerReadiness: true,
      setContainerStartup: true,
      terminatePod: true,
      removeOrphanedStatuses: true,
      setPodReadyToStartContainers: true,
      onStatus: true,
    },
  } satisfies Contract<StatusManager>,
  pleg: {
    name: 'PodLifecycleEventGenerator',
    members: { ...startable, events: true, unhealthyReason: true, requestRelist: true, requestReinspect: true, relist: true },
  } satisfies Contract<PodLifecycleEventGenerator>,
  podWorkers: {
    name: 'PodWorkers',
    members: {
      updatePod: true,
      syncKnownPods: true,
      isPodKnownTerminated: true,
      couldHaveRunningContainers: true,
      shouldPodBeFinished: true,
      isPodTerminationRequested: true,
      shouldPodContainersBeTerminating: true,
      shouldPodRuntimeBeRemoved: true,
      shouldPodContentBeRemoved: true,
      isPodForMirrorPodTerminatingByFullName: true,
      killPodNow: true,
      state: true,
      explain: true,
      stop: true,
    },
  } satisfies Contract<PodWorkers>,
  imageManager: {
    name: 'ImageManager',
    members: { start: true, ensureImageExists: true, pulls: true, collectBackOff: true, pruneUnknownRecords: true },
  } satisfies Contract<ImageManager>,
  allocation: {
    name: 'AllocationManager',
    members: {
      ...startable,
      addPod: true,
      updatePodFromAllocation: true,
      pushPendingResize: true,
      isResizeUndecided: true,
      retryPendingResizes: true,
      pendingResizes: true,
      resizeConditions: true,
      removePod: true,
      removeOrphanedPods: true,
    },
  } satisfies Contract<AllocationManager>,
  containerManager: {
    name: 'ContainerManager',
    members: { ...startable, isEnabled: true, updateQosCgroups: true, pods: true },
  } satisfies Contract<ContainerManager>,
  runtime: {
    name: 'Runtime',
    members: {
      runtimeName: true,
      checkRuntime: true,
      status: true,
      getPods: true,
      getPod: true,
      getPodStatus: true,
      syncPod: true,
      killPod: true,
      garbageCollect: true,
      collectBackOff: true,
    },
  } satisfies Contract<Runtime>,
  volumeManager: {
    name: 'VolumeManager',
    members: {
      waitForAttachAndMount: true,
      waitForUnmount: true,
      getMountedVolumesForPod: true,
      hasPossiblyMountedVolumesForPod: true,
    },
  } satisfies Contract<VolumeManager>,
  volumePlugin: {
    name: 'VolumePlugin',
    members: {
      name: true,
      canSupport: true,
      volumeName: true,
      requiresRemount: true,
      supportsMountOption: true,
      mounter: true,
      unmounter: true,
      constructVolumeSpec: true,
    },
  } satisfies Contract<RequiredOf<VolumePlugin>>,
  probeManager: {
    name: 'ProbeManager',
    members: {
      results: true,
      updates: true,
      view: true,
      addPod: true,
      probeNow: true,
      stopLivenessAndStartup: true,
      removePod: true,
      cleanupPods: true,
      stop: true,
    },
  } satisfies Contract<ProbeManager>,
  stats: {
    name: 'StatsProvider',
    members: { summary: true, containerMetrics: true, resourceMetrics: true },
  } satisfies Contract<StatsProvider>,
  statusSink: { name: 'StatusSink', members: { ...startable, statusChanged: true } } satisfies Contract<StatusSink>,
  sources: { name: 'PodSource', members: { ...startable, name: true } } satisfies Contract<RequiredOf<PodSource>>,
};

/** Throws `InvalidOption` naming the option and the missing members unless the part, or each part of a list, implements the contract. */
export function requireContract(option: string, part: object, contract: Contract<object>): void {
  if (Array.isArray(part)) {
    for (const [index, item] of part.entries()) requireContract(`${option}[${index}]`, item, contract);
    return;
  }
  const missing = Object.keys(contract.members).filter((member) => !(member in part));
  if (missing.length > 0) throw invalidOption(option, `a ${contract.name}, with ${missing.join(', ')}`, part);
}
