import { dirname, join } from 'node:path';
import {
  NodeAgentError,
  noEvents,
  noMetrics,
  type Pod,
  type PodRuntimeStatus,
  podFullName,
  podUid,
  type Runtime,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
  type Timer,
} from '@nodeagent/api';
import { createImageManager } from '@nodeagent/image-manager';
import { createGenericPleg, createPodCache } from '@nodeagent/pleg';
import { createPodConfig, createPodManager } from '@nodeagent/pod-sources';
import { createPodWorkers, createWorkQueue } from '@nodeagent/pod-workers';
import { createFileActuatedState, createRuntimeManager, nodeFiles, type RuntimeManager } from '@nodeagent/runtime-manager';
import { createReasonCache, createResizeConditions, createStatusManager, generateApiPodStatus } from '@nodeagent/status-manager';
import { EventEmitter } from 'eventemitter3';
import type { NodeAgent, NodeAgentEvents, NodeAgentOptions, PodView } from './agent-types.js';
import { createContainerCleanup } from './container-cleanup.js';
import { createContainerLogs } from './container-logs.js';
import { createDeadlineTimers } from './deadline-timers.js';
import { createHousekeeping } from './housekeeping.js';
import { hostAddresses, readMachineFacts } from './machine.js';
import { createPodDirs } from './pod-dirs.js';
import { createPodEnvironment } from './pod-environment.js';
import { createPodEvents } from './pod-events.js';
import { createPodSyncer } from './pod-syncer.js';
import { createRuntimeMonitor } from './runtime-monitor.js';
import { effectiveSettings } from './settings.js';
import { createSyncHandler } from './sync-handler.js';
import { createSyncLoop } from './sync-loop.js';

/**
 * Wires the subsystems into a node agent. Construction reads the machine's facts and starts nothing; {@link NodeAgent.start} does.
 * Throws `INVALID_OPTION` naming an option that cannot be.
 */
export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  const { nodeName, sources, cri, rootDir, podLogsDir = '/var/log/pods', volumeManager, probeManager, parts = {} } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger, metrics = noMetrics } = options;
  const settings = effectiveSettings(options.settings);
  if (sources.length === 0) throw new NodeAgentError('INVALID_OPTION', 'sources: at least one pod source is needed');

  const emitter = new EventEmitter<NodeAgentEvents>();
  const recorder = createPodEvents(clock, options.recorder ?? noEvents, (event) => emitter.emit('event', event));
  const machine = parts.machine ?? readMachineFacts();
  const hostIps = parts.hostIps ?? hostAddresses();
  const podDirs = parts.podDirs ?? createPodDirs(rootDir);
  const files = parts.files ?? nodeFiles;
  /** `/var/log/containers` beside `/var/log/pods`. */
  const legacyLogsDir = join(dirname(podLogsDir), 'containers');

  const podManager = createPodManager();
  const podConfig = createPodConfig({ clock, recorder });
  const seenSources = new Set<string>();
  const allSourcesReady = () => podConfig.seenAllSources(seenSources);

  const podCache = createPodCache();
  const workQueue = createWorkQueue({ clock });
  const startFailures = createReasonCache();
  const resizes = createResizeConditions({ clock, recorder });
  const statusManager = createStatusManager({ clock, pods: podManager, logger, metrics });
  const deadlines = createDeadlineTimers(clock, (uid) => handler.syncPods([uid]));

  const images = createImageManager({
    images: cri.image,
    clock,
    recorder,
    logger,
    metrics,
    settings: { serializeImagePulls: settings.serializeImagePulls },
  });
  const runtime: Runtime & Partial<RuntimeManager> =
    parts.runtime ??
    createRuntimeManager({
      cri: cri.runtime,
      images,
      imageService: cri.image,
      clock,
      recorder,
      logger,
      metrics,
      podLogsDir,
      legacyLogsDir,
      podDir: podDirs.podDir,
      ...createPodEnvironment({ settings, nodeName, hostIps, recorder }),
      clusterDomain: settings.clusterDomain,
      ...(volumeManager && { mountedVolumes: (uid: string) => volumeManager.getMountedVolumesForPod(uid) }),
      ...(probeManager && { probeResults: probeManager.results }),
      files,
      podState: {
        isPodTerminationRequested: (uid) => podWorkers.isPodTerminationRequested(uid),
        shouldPodContentBeRemoved: (uid) => podWorkers.shouldPodContentBeRemoved(uid),
        shouldPodRuntimeBeRemoved: (uid) => podWorkers.shouldPodRuntimeBeRemoved(uid),
      },
      machine,
      ...(parts.files === undefined && { actuatedState: createFileActuatedState(join(rootDir, 'actuated_pods_state')) }),
      requestReinspect: (uid) => pleg.requestReinspect(uid),
      settings: { maxContainerRestartPeriodSeconds: settings.maxContainerRestartPeriodMs / 1000 },
    });
  const pleg = createGenericPleg({
    runtime,
    cache: podCache,
    clock,
    relistPeriodMs: settings.relistPeriodMs,
    relistThresholdMs: settings.relistThresholdMs,
    logger,
    metrics,
  });
  const monitor = createRuntimeMonitor({
    runtime,
    plegError: () => pleg.unhealthyReason(),
    clock,
    logger,
    periodMs: settings.runtimeStatusPeriodMs,
    thresholdMs: settings.runtimeStatusThresholdMs,
    onChange: (errors) => {
      syncLoop.wake();
      emitter.emit('runtime', errors);
    },
  });

  const resizeConditions = (pod: Pod, status: PodRuntimeStatus) => {
    const uid = podUid(pod);
    if (!runtime.isPodResizeInProgress || podWorkers.isPodTerminationRequested(uid)) return resizes.get(uid);
    return resizes.observe(pod, runtime.isPodResizeInProgress(pod, status));
  };
  const syncer = createPodSyncer({
    runtime,
    statusManager,
    generateStatus: (pod, runtimeStatus, podIsTerminal) =>
      generateApiPodStatus({
        pod,
        runtimeStatus,
        podIsTerminal,
        oldStatus: statusManager.getPodStatus(podUid(pod)),
        runtimeName: runtime.runtimeName,
        waitingReasons: startFailures.reasonsOf(pod),
        hostIps,
        resizeConditions: resizeConditions(pod, runtimeStatus),
        now: clock.now(),
        ...(probeManager && { probes: probeManager.view(pod) }),
      }).status,
    startFailures: {
      update(uid, result) {
        startFailures.update(uid, result);
        resizes.update(uid, result);
      },
    },
    podDirs,
    networkError: monitor.networkError,
    ...(volumeManager && { volumeManager }),
    ...(probeManager && { probeManager }),
    onStatus: (pod) => deadlines.update(pod, statusManager.getPodStatus(podUid(pod))?.startTime),
    recorder,
    clock,
    logger,
  });
  const podWorkers = createPodWorkers({
    syncer,
    cache: podCache,
    clock,
    random,
    recorder,
    workQueue,
    resyncIntervalMs: settings.syncFrequencyMs,
    backOffPeriodMs: settings.backOffPeriodMs,
    requestRelist: (uid) => pleg.requestRelist(uid),
    logger,
    metrics,
  });

  const containerLogs = createContainerLogs({ cri: cri.runtime, podCache, clock, logger, settings, parts });
  const cleanup = createContainerCleanup({
    runtime,
    podCache,
    podWorkers,
    allSourcesReady,
    clock,
    logger,
    periodMs: settings.containerGCPeriodMs,
  });
  /** Pods that were removed from the sources and still end. */
  const leaving = new Map<string, Pod>();
  const forgetLeft = (known: ReadonlySet<string>) => {
    recorder.retain(known);
    resizes.retain(known);
    for (const [uid, pod] of leaving) {
      if (known.has(uid)) continue;
      leaving.delete(uid);
      deadlines.cancel(uid);
      cleanup.soon();
      emitter.emit('removed', pod);
    }
  };
  let housekept: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    housekept = resolve;
  });
  const housekeeping = createHousekeeping({
    desiredPods: () => podManager.pods(),
    allSourcesReady,
    podWorkers,
    runtime,
    statusManager,
    podDirs,
    ...(probeManager && { probeManager }),
    retain: forgetLeft,
    logger,
  });
  const handler = createSyncHandler({
    pods: podManager,
    podWorkers,
    onSourceSeen: (source) => seenSources.add(source),
    allSourcesReady,
    onContainerDied: cleanup.containerDied,
    onPodRemoved: (pod) => leaving.set(podUid(pod), pod),
    housekeeping: async () => {
      await housekeeping();
      if (allSourcesReady()) housekept();
    },
    now: clock.now,
    logger,
  });
  const syncLoop = createSyncLoop({
    config: podConfig.updates,
    podEvents: pleg.events,
    workQueue,
    handler,
    runtimeErrors: monitor.runtimeErrors,
    clock,
    logger,
    housekeepingPeriodMs: settings.housekeepingPeriodMs,
  });
  statusManager.onStatus((uid, status) => {
    const pod = podManager.podByUid(uid) ?? leaving.get(uid);
    if (pod !== undefined && status !== undefined) emitter.emit('status', pod, status);
  });

  let running: { controller: AbortController; loop: Promise<void> } | undefined;
  const subsystems: Startable[] = [...sources, statusManager, pleg, containerLogs];

  const view = (pod: Pod): PodView => {
    const uid = podUid(pod);
    return {
      pod,
      status: statusManager.getPodStatus(uid) ?? pod.status ?? {},
      state: podWorkers.explain(uid)?.state,
      lastEvent: recorder.last(uid),
    };
  };
  const allPods = () => [...podManager.pods(), ...leaving.values()];

  return {
    ready,
    async start(signal) {
      if (running !== undefined) return;
      const controller = new AbortController();
      signal?.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
      if (signal?.aborted) controller.abort(signal.reason);
      for (const dir of [podLogsDir, legacyLogsDir]) await files.makeDirectory(dir, 0o755);
      for (const source of sources) source.onPods = podConfig.channel(source.name);
      running = { controller, loop: syncLoop.run(controller.signal) };
      monitor.start();
      cleanup.start();
      await Promise.all(subsystems.map((subsystem) => subsystem.start(controller.signal)));
    },
    async stop() {
      if (running === undefined) return;
      const { controller, loop } = running;
      running = undefined;
      monitor.stop();
      cleanup.stop();
      deadlines.stop();
      await Promise.all(sources.map((source) => source.stop()));
      await podWorkers.stop();
      controller.abort(new NodeAgentError('STOPPED', 'the agent was stopped'));
      await Promise.all([loop, pleg.stop(), statusManager.stop(), containerLogs.stop()]);
    },
    async stopPods(signal) {
      await Promise.all(sources.map((source) => source.stop()));
      for (const source of sources) podConfig.channel(source.name)([]);
      const gone = () => allPods().every((pod) => podWorkers.shouldPodBeFinished(podUid(pod)));
      await new Promise<void>((resolve, reject) => {
        let timer: Timer | undefined;
        const abort = () => {
          timer?.cancel();
          reject(signal?.reason);
        };
        const look = () => {
          if (gone()) {
            signal?.removeEventListener('abort', abort);
            resolve();
          } else timer = clock.setTimeout(look, 100);
        };
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener('abort', abort, { once: true });
        look();
      });
      await runtime.garbageCollect(true);
      await housekeeping();
    },
    pods: () =>
      allPods()
        .map(view)
        .sort((a, b) => podFullName(a.pod).localeCompare(podFullName(b.pod))),
    runtimeErrors: monitor.runtimeErrors,
    explain: (uid) => podWorkers.explain(uid),
    on: (event, listener) => void emitter.on(event, listener as never),
    off: (event, listener) => void emitter.off(event, listener as never),
  };
}
