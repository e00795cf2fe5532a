import type { PodRuntimeStatus, RuntimeContainerStatus, RuntimeSandboxStatus } from '@nodeagent/api';
import {
  computePodActions,
  containerIdFromLegacyLogSymlink,
  containerLogPath,
  containerLogsDirectory,
  hashContainer,
  type LinuxResourceSettings,
  legacyLogSymlink,
  linuxContainerResources,
  podUidFromLogsDirectory,
  shouldContainerBeRestarted,
  triggersRestartAllContainers,
} from '@nodeagent/runtime-manager';
import { type Adapter, defineAdapter } from '../adapter.js';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
type Json = any;

/** What a recorded status leaves out. */
const blankStatus = {
  image: '',
  imageId: '',
  imageRef: '',
  hash: '',
  restartCount: 0,
  reason: '',
  message: '',
  podSandboxId: '',
  createdAt: 0n,
  exitCode: 0,
};

const podContainerList = ({ spec }: Json): Json[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

function runtimeStatus(pod: Json, { containers, sandboxes }: Json): Pick<PodRuntimeStatus, 'containerStatuses' | 'sandboxStatuses'> {
  return {
    containerStatuses: (containers ?? []).map((c: Json): RuntimeContainerStatus => {
      const hash = hashContainer(podContainerList(pod).find(({ name }) => name === c.name) ?? { name: c.name });
      return { ...blankStatus, ...c, createdAt: BigInt(c.createdAt), hash: c.definitionChanged ? `not-${hash}` : hash };
    }),
    sandboxStatuses: (sandboxes ?? []).map(
      (s: Json): RuntimeSandboxStatus => ({
        id: s.id,
        attempt: s.attempt,
        state: s.state === 'READY' ? 'ready' : 'notReady',
        createdAt: 0n,
        networkMode: s.networkMode,
        runtimeHandler: '',
        ...(s.ip !== null && s.ip !== undefined && { network: { ip: s.ip, additionalIps: [] } }),
      }),
    ),
  };
}

export const runtimeManagerAdapters: Adapter[] = [
  defineAdapter('compute-pod-actions', ({ pod, status, probes, actuated, actuatedPod, restartAllContainers }) => {
    const actions = computePodActions({
      pod,
      status: runtimeStatus(pod, status),
      probeResults: { liveness: (id) => probes.liveness?.[id], startup: (id) => probes.startup?.[id] },
      actuated: new Map(Object.entries(actuated ?? {})),
      actuatedPod: actuatedPod ?? undefined,
      restartAllContainers,
    });
    return {
      killPod: actions.killPod,
      createSandbox: actions.createSandbox,
      sandboxID: actions.sandboxId,
      attempt: actions.attempt,
      initContainersToStart: actions.initContainersToStart,
      containersToStart: actions.containersToStart,
      ephemeralContainersToStart: actions.ephemeralContainersToStart,
      containersToKill: Object.fromEntries(actions.containersToKill),
      containersToUpdate: Object.fromEntries(
        Object.entries(actions.containersToUpdate).map(([resource, updates]) => [resource, updates.map(({ name }) => name)]),
      ),
      updatePodResources: actions.updatePodResources,
      updatePodLevelResources: actions.updatePodLevelResources,
      containersToReset: actions.containersToReset.map(({ id, kill }) => ({ id, kill })),
    };
  }),

  defineAdapter('should-restart', ({ pod, containerName, statuses }) => {
    const container = podContainerList(pod).find(({ name }) => name === containerName);
    const status = runtimeStatus(pod, { containers: statuses.map((s: Json) => ({ createdAt: 0, ...s })) });
    const newest = status.containerStatuses.find(({ name }) => name === containerName);
    return {
      restart: shouldContainerBeRestarted(container, pod, status),
      restartAllContainers: triggersRestartAllContainers(container, newest),
    };
  }),

  defineAdapter('hash-container', ({ container }) => ({ annotation: hashContainer(container) }), {
    normalize: (output) => ({ annotation: output.annotation }),
  }),

  defineAdapter('log-paths', ({ podLogsDir, namespace, podName, podUID, container, containerID, restartCount, logsDirName }) => {
    const pod = { namespace, name: podName, uid: podUID };
    const link = legacyLogSymlink('/var/log/containers', pod, container, containerID);
    const id = containerIdFromLegacyLogSymlink(link);
    return {
      containerLogsDir: containerLogsDirectory(podLogsDir, pod, container),
      relativeLogPath: containerLogPath(container, restartCount),
      legacySymlink: link,
      containerIDFromSymlink: id ?? '',
      containerIDError: id === undefined,
      podUIDFromLogsDirName: podUidFromLogsDirectory(logsDirName),
    };
  }),

  defineAdapter('linux-resources', (input) => {
    const settings: LinuxResourceSettings = {
      cgroupVersion: input.cgroupV2 ? 2 : 1,
      memoryBytes: BigInt(input.memoryCapacityBytes),
      cpuCFSQuota: input.cpuCFSQuota,
      cpuCFSQuotaPeriod: input.cpuCFSQuotaPeriodMicroseconds,
      ...(input.singleProcessOOMKill !== null && { singleProcessOOMKill: input.singleProcessOOMKill }),
    };
    const container = podContainerList(input.pod).find(({ name }) => name === input.containerName);
    return resourceNumbers(linuxContainerResources(input.pod, container, settings));
  }),

  defineAdapter('container-linux-resources', (input) => {
    const settings: LinuxResourceSettings = {
      cgroupVersion: input.cgroupV2 ? 2 : 1,
      memoryBytes: BigInt(input.nodeMemory),
      cpuCFSQuota: input.cpuCFSQuota,
      cpuCFSQuotaPeriod: input.cpuCFSQuotaPeriodUs,
      ...(input.singleProcessOOMKill !== null && { singleProcessOOMKill: input.singleProcessOOMKill }),
      ...(input.swapControllerAvailable && { swap: { behavior: input.swapBehavior, bytes: BigInt(input.nodeSwap) } }),
      ...(input.memoryQoS && {
        memoryQos: {
          reservationPolicy: input.memoryReservationPolicy,
          throttlingFactor: input.memoryThrottlingFactor,
          allocatableBytes: BigInt(input.nodeAllocatableMemory),
          pageSize: input.pageSize,
        },
      }),
    };
    const resources = linuxContainerResources(input.pod, input.pod.spec.containers[0], settings);
    return { ...resourceNumbers(resources), memorySwapLimitInBytes: Number(resources.memorySwapLimitInBytes ?? 0n) };
  }),
];

function resourceNumbers({ unified, ...numbers }: ReturnType<typeof linuxContainerResources>) {
  const value = (amount: bigint | undefined) => Number(amount ?? 0n);
  return {
    cpuShares: value(numbers.cpuShares),
    cpuQuota: value(numbers.cpuQuota),
    cpuPeriod: value(numbers.cpuPeriod),
    memoryLimitInBytes: value(numbers.memoryLimitInBytes),
    oomScoreAdj: value(numbers.oomScoreAdj),
    unified,
  };
}
