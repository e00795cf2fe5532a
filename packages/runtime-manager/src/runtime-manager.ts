import { invalidOption, noEvents, noMetrics, type RuntimeHealth, silentLogger, systemClock, systemRandom } from '@nodeagent/api';
import type { RuntimeStatus } from '@nodeagent/cri-api';
import { abortablePorts } from './abortable-ports.js';
import type { LinuxResourceSettings } from './config/linux-resources.js';
import type { MemoryQos } from './config/memory-qos.js';
import { boundedCri, boundedImageService } from './cri/bounded.js';
import { invalidAnswer } from './cri/call-errors.js';
import { measuredCri } from './cri/measured.js';
import { reportedCri } from './cri/reported.js';
import { createStreamingUrls } from './cri/streaming-urls.js';
import { isPodResizeInProgress } from './decide/resize-in-progress.js';
import { actuatedPodOf } from './decide/resize-plan.js';
import { containersToDelete } from './gc/containers-to-delete.js';
import { collectGarbage } from './gc/garbage-collector.js';
import type { Machine, RuntimeManager, RuntimeManagerOptions } from './options.js';
import type { RuntimeContext } from './runtime-context.js';
import { type ResolvedSettings, resolveSettings } from './settings.js';
import { listPods } from './status/listing.js';
import { type PodStatusSources, readChanges, readPodStatus } from './status/pod-status.js';
import { convertPodStatusToPod } from './status/running-pod.js';
import { createRuntimeHandlers, reportedFeatures } from './status/runtime-handlers.js';
import { createRuntimeVersion } from './status/runtime-version.js';
import { createActuatedResources } from './sync/actuated-resources.js';
import { createCrashLoopBackOff } from './sync/crash-loop-back-off.js';
import { createHookRunner, runOverCri } from './sync/hook-runner.js';
import { killPod } from './sync/kill-pod.js';
import { removeContainer, tryRemoveContainer } from './sync/remove-container.js';
import { syncPod } from './sync/sync-pod.js';

/** Larger than the memory of any machine. */
const unknownMemory = 1n << 62n;

/**
 * Creates a {@link RuntimeManager}: {@link Runtime} over CRI. Does no I/O and starts no timer. Throws InvalidOption naming the field.
 * Its persistent state is in the labels and annotations of containers: a new manager adopts running containers.
 */
export function createRuntimeManager(options: RuntimeManagerOptions): RuntimeManager {
  const context = createContext(options);
  const { cri, clock, settings, actuated } = context;
  const sources: PodStatusSources = { cri, files: context.files, actuated: actuated.get, logs: context.logs };
  const version = createRuntimeVersion(cri, clock);
  let runtimeName = '';

  return {
    get onChange() {
      return context.listener.onChange;
    },
    set onChange(listener) {
      context.listener.onChange = listener;
    },
    get runtimeName() {
      return runtimeName;
    },
    async checkRuntime(signal) {
      ({ name: runtimeName } = await version.read(signal));
    },
    runtimeVersion: version.cached,
    async updatePodCidr(podCidr, signal) {
      await cri.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr } } }, signal ? { signal } : {});
    },
    ...createStreamingUrls(cri),
    async status(signal) {
      const answer = await cri.status({}, signal ? { signal } : {});
      if (!answer.status) throw invalidAnswer('Status', 'status');
      context.handlers.update(answer);
      return Object.assign(runtimeHealth(answer.status), reportedFeatures(answer));
    },
    getPods: (all, signal) => listPods(cri, { all }, signal),
    async getPod(uid, signal) {
      const pods = await listPods(cri, { all: true, uid }, signal);
      return pods.find((pod) => pod.uid === uid);
    },
    async getPodStatus(pod, signal) {
      await actuated.load();
      return readPodStatus(sources, pod, signal);
    },
    async inspectChanges(podUid, known, changes, signal) {
      await actuated.load();
      const status = await readChanges(sources, podUid, known, changes, signal);
      const isLeft = status.containerStatuses.length + status.sandboxStatuses.length > 0;
      return isLeft ? { pod: convertPodStatusToPod(status), status } : undefined;
    },
    async syncPod(pod, status, options) {
      await actuated.load();
      return syncPod(context, pod, status, options);
    },
    isPodResizeInProgress: (pod, status) => isPodResizeInProgress({ pod, status, ...actuated.ofPod(pod) }),
    actuatedPod: (pod) => actuatedPodOf({ pod, ...actuated.ofPod(pod) }),
    killPod: (pod, running, gracePeriodOverride, signal) => killPod(context, pod, running, gracePeriodOverride, signal),
    garbageCollect: (allSourcesReady) => collectGarbage(context, { allSourcesReady, evictNonDeletedPods: false }),
    deleteAllUnusedContainers: (allSourcesReady) => collectGarbage(context, { allSourcesReady, evictNonDeletedPods: true }),
    collectBackOff: () => context.backOff.collect(clock.now()),
    deleteContainer: (containerId) => removeContainer(context, containerId),
    async deleteDeadContainers({ containerStatuses }, diedContainerId, removeAll) {
      const keep = removeAll ? 0 : Math.max(settings.maxPerPodContainer, 1);
      for (const id of containersToDelete(containerStatuses, removeAll ? '' : diedContainerId, keep)) {
        await tryRemoveContainer(context, id, removeAll ? 'its pod has terminated' : 'a newer instance of it has exited');
      }
    },
  };
}

function createContext(options: RuntimeManagerOptions): RuntimeContext {
  checkOptions(options);
  const settings = resolveSettings(options.settings);
  const { clock = systemClock, files, logger = silentLogger, recorder = noEvents, metrics = noMetrics } = options;
  const bounds = { clock, timeoutMs: settings.runtimeRequestTimeoutMs, ended: options.signal };
  const listener: RuntimeContext['listener'] = {};
  const cri = reportedCri(boundedCri(measuredCri(options.cri, clock, metrics), bounds), (change) => listener.onChange?.(change));
  const ports = abortablePorts(options);
  return {
    options,
    ports,
    settings,
    cri,
    listener,
    imageService: options.imageService && boundedImageService(options.imageService, bounds),
    clock,
    agentStartedAt: BigInt(Math.floor(clock.now())) * 1_000_000n,
    recorder,
    logger,
    metrics,
    files,
    handlers: createRuntimeHandlers(cri),
    hooks: options.hooks ?? createHookRunner({ runInContainer: runOverCri(cri), clock, recorder, httpGet: options.hookHttpGet }),
    probeResults: options.probeResults ?? { liveness: () => undefined, startup: () => undefined },
    podState: options.podState ?? {
      isPodTerminationRequested: () => false,
      shouldPodContentBeRemoved: () => false,
      shouldPodRuntimeBeRemoved: () => false,
    },
    legacyLogsDir: options.legacyLogsDir ?? '/var/log/containers',
    mountSources: {
      files,
      random: options.random ?? systemRandom,
      podDir: (uid) => options.podDir(uid),
      clusterDomain: options.clusterDomain ?? 'cluster.local',
      nodeHostsFile: options.nodeHostsFile ?? '/etc/hosts',
      mountedVolumes: (uid) => options.mountedVolumes?.(uid) ?? new Map(),
      selinux: options.machine?.selinux ?? false,
      prepareSubPath: ports.prepareSubPath?.bind(ports),
    },
    resources: resourceSettings(settings, options.machine),
    backOff: createCrashLoopBackOff(settings.maxContainerRestartPeriodMs, recorder),
    preStopHooks: new Map(),
    removals: new Map(),
    logs: new Map(),
    actuated: createActuatedResources(options.actuatedState, logger),
  };
}

function checkOptions({ cri, images, files, clock = systemClock, podDir, environment, dns, podLogsDir }: RuntimeManagerOptions): void {
  const functions = {
    'cri.runPodSandbox': cri?.runPodSandbox,
    'images.ensureImageExists': images?.ensureImageExists,
    'clock.now': clock?.now,
    podDir,
    environment,
    dns,
  };
  for (const [field, value] of Object.entries(functions)) if (typeof value !== 'function') throw invalidOption(field, 'a function', value);
  if (files === undefined) throw invalidOption('files', 'nodeFiles of @nodeagent/runtime-manager/node, or other files', files);
  if (!podLogsDir?.startsWith('/')) throw invalidOption('podLogsDir', 'an absolute path', podLogsDir);
}

function resourceSettings(settings: ResolvedSettings, machine: Machine | undefined): LinuxResourceSettings {
  const cgroupVersion = machine?.cgroupVersion ?? 2;
  return {
    cgroupVersion,
    memoryBytes: machine?.memoryBytes ?? unknownMemory,
    cpuCFSQuota: settings.cpuCFSQuota,
    cpuCFSQuotaPeriod: settings.cpuCFSQuotaPeriodMs * 1000,
    singleProcessOOMKill: settings.singleProcessOOMKill ?? cgroupVersion === 1,
    hugePageSizes: machine?.hugePageSizes ?? [],
    ...(cgroupVersion === 2 && settings.featureGates.MemoryQoS && { memoryQos: memoryQos(settings, machine) }),
    ...(machine?.swapController && { swap: { behavior: settings.swapBehavior, bytes: machine.swapBytes ?? 0n } }),
  };
}

function memoryQos({ memoryReservationPolicy, memoryThrottlingFactor }: ResolvedSettings, machine: Machine | undefined): MemoryQos {
  const { memoryBytes = unknownMemory, pageSize } = machine ?? {};
  return {
    reservationPolicy: memoryReservationPolicy,
    throttlingFactor: memoryThrottlingFactor,
    get allocatableBytes() {
      return machine?.allocatableMemoryBytes?.() ?? memoryBytes;
    },
    ...(pageSize !== undefined && { pageSize }),
  };
}

function runtimeHealth({ conditions }: RuntimeStatus): RuntimeHealth {
  const find = (wanted: string) => (conditions ?? []).find(({ type }) => type === wanted);
  const message = (condition: ReturnType<typeof find>, type: string) => {
    if (condition === undefined) return `the runtime does not report ${type}`;
    return condition.status ? '' : `${type}=false reason:${condition.reason} message:${condition.message}`;
  };
  const [runtime, network] = [find('RuntimeReady'), find('NetworkReady')];
  return {
    runtimeReady: runtime?.status ?? false,
    networkReady: network?.status ?? false,
    runtimeMessage: message(runtime, 'RuntimeReady'),
    networkMessage: message(network, 'NetworkReady'),
  };
}
