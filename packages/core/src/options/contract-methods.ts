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
import type { AgentOptions } from './agent-options.js';

/** A contract of `@nodeagent/api` and its required members; the type keeps both in step. */
interface Contract<T> {
  readonly name: string;
  readonly members: Readonly<Record<keyof T, true>>;
}

/** The required members of a contract. */
type RequiredOf<T> = { [K in keyof T as object extends Pick<T, K> ? never : K]: T[K] };

const startable = { start: true, stop: true } as const;

/** The contracts of the replaceable parts. */
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
  source: { name: 'PodSource', members: { ...startable, name: true } } satisfies Contract<RequiredOf<PodSource>>,
};

/** Throws `InvalidOption` naming the option and the missing members unless the part implements the contract. */
export function requireContract(option: string, part: object, contract: Contract<object>): void {
  const missing = Object.keys(contract.members).filter((member) => !(member in part));
  if (missing.length > 0) throw invalidOption(option, `a ${contract.name}, with ${missing.join(', ')}`, part);
}

/** Checks the parts that the options pass as objects. Parts of factories are checked when they are created. */
export function requireContracts({ sources, statusSink, stats, probeManager, volumeManager, parts = {} }: AgentOptions): void {
  for (const [index, source] of sources.entries()) requireContract(`sources[${index}]`, source, contracts.source);
  if (statusSink) requireContract('statusSink', statusSink, contracts.statusSink);
  if (stats) requireContract('stats', stats, contracts.stats);
  if (probeManager) requireContract('probeManager', probeManager, contracts.probeManager);
  if (volumeManager) requireContract('volumeManager', volumeManager, contracts.volumeManager);
  if (parts.runtime) requireContract('parts.runtime', parts.runtime, contracts.runtime);
}

/** Wraps a factory of the options to check the part that it creates. */
export function checkedFactory<K extends keyof typeof contracts, C, Part extends object>(name: K, factory: (c: C) => Part): (c: C) => Part {
  return (c) => {
    const part = factory(c);
    requireContract(`parts.${name}`, part, contracts[name]);
    return part;
  };
}
