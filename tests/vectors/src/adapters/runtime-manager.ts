import {
  errorCode,
  NodeAgentError,
  newestInstance,
  type PodRuntimeStatus,
  parseTime,
  type RuntimeContainerStatus,
  type RuntimeSandboxStatus,
  shouldContainerBeRestarted,
} from '@nodeagent/api';
import {
  computePodActions,
  containerGracePeriod,
  containerIdFromLegacyLogSymlink,
  containerLogPath,
  containerLogsDirectory,
  containersToDelete,
  containersToEvict,
  createCrashLoopBackOff,
  createHookRunner,
  hashContainer,
  httpsToHttpServer,
  killingMessage,
  type LinuxResourceSettings,
  legacyLogSymlink,
  linuxContainerResources,
  podUidFromLogsDirectory,
  sandboxesToEvict,
  stopTimeout,
  triggersRestartAllContainers,
} from '@nodeagent/runtime-manager/decisions';
import { createVirtualClock } from '@nodeagent/testing';
import { type Adapter, defineAdapter } from '../adapter.js';
import { backOffOncePerWait, goStructure, hashedText, unsupportedHandlerText } from '../masks.js';

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
      containersToKill: Object.fromEntries(actions.containersToKill.map(({ id, ...kill }) => [id, kill])),
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
    const newest = newestInstance(status.containerStatuses, containerName);
    return {
      restart: shouldContainerBeRestarted(pod, container, newest),
      restartAllContainers: triggersRestartAllContainers(container, newest),
    };
  }),

  defineAdapter('hash-container', ({ container }) => ({ annotation: hashContainer(container) }), { masks: [hashedText] }),

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

  defineAdapter('kill-grace', ({ pod, containerID, containerName, message, reason, gracePeriodOverride }) => {
    const container = podContainerList(pod).find(({ name }) => name === containerName);
    const baseGracePeriod = containerGracePeriod(pod, container, reason);
    return {
      baseGracePeriod,
      stopTimeout: stopTimeout(baseGracePeriod, gracePeriodOverride ?? undefined),
      events: [`Normal Killing ${killingMessage({ id: containerID, name: containerName }, message)}`],
    };
  }),

  defineAdapter(
    'crashloop-backoff',
    ({ pod, container: name, start, maxContainerRestartPeriodSeconds, steps }) => {
      const [, podName, namespace, uid] = /^(.*)_(.*)\((.*)\)$/.exec(pod) ?? [];
      let events: string[] = [];
      const backOff = createCrashLoopBackOff(maxContainerRestartPeriodSeconds * 1000, {
        event: (_object, type, reason, message) => void events.push(`${type} ${reason} ${message}`),
      });
      let now = parseTime(start) ?? 0;
      return steps.map(({ op, advanceSeconds, image, lastFinishedAt }: Json) => {
        now += advanceSeconds * 1000;
        events = [];
        if (op === 'gc') {
          backOff.collect(now);
          return null;
        }
        const container = { name, image };
        const object = { metadata: { name: podName, namespace, uid }, spec: { containers: [container] } };
        const finishedAt = BigInt(parseTime(lastFinishedAt) ?? 0) * 1_000_000n;
        const exited: RuntimeContainerStatus = { ...blankStatus, id: 'c', name, state: 'exited', finishedAt };
        const containerStatuses = lastFinishedAt === null ? [] : [exited];
        let failure: Json;
        try {
          backOff.beforeStart(object, container, { containerStatuses }, now);
        } catch (error) {
          if (errorCode(error) !== 'CrashLoopBackOff') throw error;
          failure = error;
        }
        return {
          inBackOff: failure !== undefined,
          message: failure?.message ?? '',
          backOffExpiry: failure === undefined ? null : new Date(failure.details.expiry).toISOString().replace('.000Z', 'Z'),
          events,
          currentBackOffSeconds: backOff.current(object, container) / 1000,
        };
      });
    },
    { masks: [backOffOncePerWait] },
  ),

  defineAdapter('containers-to-delete', ({ containers, filterContainerID, containersToKeep }) =>
    containersToDelete(
      containers.map((c: Json) => ({ ...c, createdAt: BigInt(c.createdAt) })),
      filterContainerID,
      containersToKeep,
    ),
  ),

  defineAdapter('container-gc', (input) => {
    const now = 1_800_000_000_000;
    const createdAt = (ageSeconds: number) => BigInt(now - ageSeconds * 1000) * 1_000_000n;
    const has = (list: Json) => (uid: string) => (list ?? []).includes(uid);
    const round = {
      evictNonDeletedPods: input.evictNonDeletedPods,
      pods: {
        shouldPodContentBeRemoved: has(input.podsContentShouldBeRemoved),
        shouldPodRuntimeBeRemoved: has(input.podsRuntimeShouldBeRemoved),
      },
    };
    const evicted = containersToEvict({
      ...round,
      containers: input.containers.map((c: Json) => ({
        id: c.id,
        podUid: c.podUID,
        name: c.name,
        state: c.state.toLowerCase(),
        createdAt: createdAt(c.ageSeconds),
      })),
      policy: {
        minAgeMs: input.policy.minAgeSeconds * 1000,
        maxPerPodContainer: input.policy.maxPerPodContainer,
        maxContainers: input.policy.maxContainers,
      },
      now,
      allSourcesReady: input.allSourcesReady,
    });
    const stopFails = new Set(input.containers.filter((c: Json) => c.stopFails).map((c: Json) => c.id));
    const stopped = evicted.filter(({ kill }) => kill).map(({ id }) => id);
    const removed = evicted.filter(({ id, kill }) => !(kill && stopFails.has(id))).map(({ id }) => id);
    const left = input.containers.filter((c: Json) => !removed.includes(c.id));
    const sandboxes = sandboxesToEvict({
      ...round,
      sandboxes: input.sandboxes.map((s: Json) => ({
        id: s.id,
        podUid: s.podUID,
        ready: s.state === 'READY',
        createdAt: createdAt(s.ageSeconds),
      })),
      usedSandboxIds: new Set(left.map((c: Json) => c.sandboxID)),
    });
    return {
      stoppedContainers: stopped.sort(),
      removedContainers: removed.sort(),
      removedSandboxes: sandboxes.map(({ id }) => id).sort(),
    };
  }),

  defineAdapter('lifecycle-hook', runHook, { masks: [goStructure, unsupportedHandlerText] }),
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

async function runHook(input: Json) {
  const clock = createVirtualClock();
  const calls: Json[] = [];
  const events: string[] = [];
  const runner = createHookRunner({
    clock,
    recorder: { event: (_object, type, reason, message) => void events.push(`${type} ${reason} ${message}`) },
    async runInContainer(containerId, command) {
      calls.push({ containerID: `containerd://${containerId}`, run: command, timeoutSeconds: 0 });
      return { output: input.runOutput ?? '', ...(input.runError && { error: new Error(input.runError) }) };
    },
    async httpGet(url, headers) {
      const authority = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
      calls.push({ authorization: 'Authorization' in headers, url: `${url.protocol}//${authority}${url.pathname}${url.search}` });
      const response = input.responses?.[calls.length - 1] ?? { status: 200 };
      if (response.error?.includes('HTTP response to HTTPS client')) throw new NodeAgentError(httpsToHttpServer, response.error);
      if (response.error) throw new Error(response.error);
      return response.status;
    },
  });
  const container = { name: 'app', ports: [{ name: 'web', containerPort: 8080 }] };
  const pod = { metadata: { name: 'web', namespace: 'ns', uid: 'u1' }, spec: { containers: [container] } };
  const controller = new AbortController();
  const { contextCancelledAfterSeconds } = input;
  if (contextCancelledAfterSeconds !== undefined) clock.setTimeout(() => controller.abort(), contextCancelledAfterSeconds * 1000);
  const podIp = async () => {
    if (input.getPodError) throw new Error(input.getPodError);
    return input.podIPs?.[0];
  };
  const start = clock.monotonic();
  const request = { pod, container, containerId: 'c1', handler: input.handler, podIp };
  const failure = await clock.run(
    runner.run(request, controller.signal).then(
      () => undefined,
      (error: Error) => error,
    ),
  );
  return {
    failed: failure !== undefined,
    message: failure?.message ?? '',
    calls: calls.length > 0 ? calls : null,
    events,
    elapsedSeconds: (clock.monotonic() - start) / 1000,
  };
}
