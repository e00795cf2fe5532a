import { errorCode, NodeAgentError, type PodRuntimeStatus, type RuntimeContainerStatus, type RuntimeSandboxStatus } from '@nodeagent/api';
import { newestInstance, parseTime, shouldContainerBeRestarted } from '@nodeagent/api/helpers';
import { createMemoryFiles, createRuntimeManager } from '@nodeagent/runtime-manager';
import {
  computePodActions,
  containerGracePeriod,
  containerIdFromLegacyLogSymlink,
  containerLogPath,
  containerLogsDirectory,
  containersToDelete,
  createCrashLoopBackOff,
  createHookRunner,
  hashContainer,
  httpsToHttpServer,
  killingMessage,
  type LinuxResourceSettings,
  legacyLogSymlink,
  linuxContainerResources,
  podUidFromLogsDirectory,
  stopTimeout,
  triggersRestartAllContainers,
} from '@nodeagent/runtime-manager/decisions';
import { createVirtualClock } from '@nodeagent/testing';
import { type Adapter, defineAdapter } from '../adapter.js';
import { backOffOncePerWait, containersAboutToStart, goStructure, hashedText, unsupportedHandlerText } from '../masks.js';

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
    const id = containerIdFromLegacyLogSymlink(link ?? '');
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

  defineAdapter('container-gc', collectContainers, { masks: [containersAboutToStart] }),

  defineAdapter('lifecycle-hook', runHook, { masks: [goStructure, unsupportedHandlerText] }),
];

/** One round of garbage collection over a runtime that only lists, stops and removes. */
async function collectContainers(input: Json) {
  const start = 1_800_000_000_000;
  const createdAt = (ageSeconds: number) => BigInt(start - ageSeconds * 1000) * 1_000_000n;
  const has = (list: Json) => (uid: string) => (list ?? []).includes(uid);
  const done = { stoppedContainers: [] as string[], removedContainers: [] as string[], removedSandboxes: [] as string[] };
  const labels = ({ podUID, name }: Json) => ({ 'io.kubernetes.pod.uid': podUID, 'io.kubernetes.container.name': name ?? '' });
  const left = (list: Json[], removed: string[]) => list.filter(({ id }) => !removed.includes(id));
  const cri = {
    listContainers: async () => ({
      containers: left(input.containers, done.removedContainers).map((c) => ({
        id: c.id,
        podSandboxId: c.sandboxID,
        metadata: { name: c.name, attempt: 0 },
        labels: labels(c),
        annotations: {},
        state: `CONTAINER_${c.state}`,
        createdAt: createdAt(c.ageSeconds),
      })),
    }),
    listPodSandbox: async () => ({
      items: left(input.sandboxes, done.removedSandboxes).map((s) => ({
        id: s.id,
        metadata: { uid: s.podUID, name: s.podUID, namespace: 'default', attempt: 0 },
        state: `SANDBOX_${s.state}`,
        createdAt: createdAt(s.ageSeconds),
      })),
    }),
    containerStatus: async ({ containerId }: Json) => ({
      status: { labels: labels(input.containers.find((c: Json) => c.id === containerId)), annotations: {}, logPath: '' },
    }),
    async stopContainer({ containerId }: Json) {
      done.stoppedContainers.push(containerId);
      if (input.containers.find((c: Json) => c.id === containerId).stopFails) throw new Error('stop failed');
      return {};
    },
    async removeContainer({ containerId }: Json) {
      done.removedContainers.push(containerId);
      return {};
    },
    stopPodSandbox: async () => ({}),
    async removePodSandbox({ podSandboxId }: Json) {
      done.removedSandboxes.push(podSandboxId);
      return {};
    },
    runPodSandbox: unused,
  };
  const manager = createRuntimeManager({
    cri: cri as Json,
    images: { ensureImageExists: unused },
    clock: createVirtualClock({ start }),
    files: createMemoryFiles(),
    podLogsDir: '/var/log/pods',
    podDir: (uid) => `/var/lib/kubelet/pods/${uid}`,
    environment: unused,
    dns: unused,
    podState: {
      isPodTerminationRequested: () => false,
      shouldPodContentBeRemoved: has(input.podsContentShouldBeRemoved),
      shouldPodRuntimeBeRemoved: has(input.podsRuntimeShouldBeRemoved),
    },
    settings: {
      minAgeMs: input.policy.minAgeSeconds * 1000,
      maxPerPodContainer: input.policy.maxPerPodContainer,
      maxContainers: input.policy.maxContainers,
    },
  });
  if (input.evictNonDeletedPods) await manager.deleteAllUnusedContainers(input.allSourcesReady);
  else await manager.garbageCollect(input.allSourcesReady);
  return Object.fromEntries(Object.entries(done).map(([what, ids]) => [what, ids.sort()]));
}

const unused = () => {
  throw new Error('the round does not need it');
};

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
