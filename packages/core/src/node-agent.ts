import { dirname, join } from 'node:path';
import { createAllocationManager } from '@nodeagent/allocation';
import {
  errorMessage,
  isMirrorPod,
  isTerminalPhase,
  type Node,
  NodeAgentError,
  noMetrics,
  type Pod,
  type PodStatus,
  podFullName,
  podUid,
  type Startable,
  type SyncResult,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { createImageManager } from '@nodeagent/image-manager';
import { createEventedPleg, createGenericPleg, createPodCache } from '@nodeagent/pleg';
import { createPodConfig, createPodManager } from '@nodeagent/pod-sources';
import { createPodWorkers, createWorkQueue } from '@nodeagent/pod-workers';
import { createReasonCache, createResizeConditions, createStatusManager } from '@nodeagent/status-manager';
import { EventEmitter } from 'eventemitter3';
import { activePods } from './active-pods.js';
import { createAgentLife } from './agent-life.js';
import { createAgentRuntime } from './agent-runtime.js';
import { createAgentServer } from './agent-server.js';
import { createAgentStats } from './agent-stats.js';
import type { NodeAgent, NodeAgentEvents, NodeAgentOptions, PodView } from './agent-types.js';
import { createAgentVolumes, nodeVolumeFacts } from './agent-volumes.js';
import { createBackOffs } from './back-offs.js';
import { createClusterParts } from './cluster.js';
import { createContainerCleanup } from './container-cleanup.js';
import { createContainerLogs } from './container-logs.js';
import { createDeadlineTimers } from './deadline-timers.js';
import { agentFeatures } from './declared-features.js';
import { coreErrorCodes } from './errors.js';
import { createAgentEviction } from './eviction.js';
import { agentHost } from './host/agent-host.js';
import { createHousekeeping } from './housekeeping.js';
import { createImageEnsurer } from './image-ensurer.js';
import { createAgentImageGc } from './image-gc.js';
import { createLeavingPods } from './leaving-pods.js';
import { createAgentOomWatcher } from './oom-watcher.js';
import { createPodEvents } from './pod-events.js';
import { createPodStatusGenerator } from './pod-status-generator.js';
import { createPodSyncer } from './pod-syncer.js';
import { createPodProbes } from './probes.js';
import { rejectPod } from './reject-pod.js';
import { runningPodUids } from './running-pod.js';
import { createRuntimeInventory } from './runtime-inventory.js';
import { createRuntimeMonitor } from './runtime-monitor.js';
import { serverStreaming } from './server-ports.js';
import { effectiveSettings } from './settings.js';
import { createNodeShutdown } from './shutdown.js';
import { createStandaloneNode } from './standalone-node.js';
import { createSyncHandler } from './sync-handler.js';
import { createSyncLoop } from './sync-loop.js';
import { createTimeline } from './timeline.js';
import { waitAtMost } from './wait-at-most.js';

/**
 * Wires the subsystems into a node agent. Construction reads the machine's facts and starts nothing; {@link NodeAgent.start} does.
 * Throws `InvalidOption` naming an option that cannot be.
 */
export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  const { nodeName, cri, podLogsDir = '/var/log/pods', parts = {} } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger, metrics = noMetrics } = options;
  const settings = effectiveSettings(options.settings);
  if (options.sources.length === 0 && options.cluster === undefined) {
    throw new NodeAgentError(coreErrorCodes.invalidOption, 'sources: at least one pod source is needed');
  }

  const emitter = new EventEmitter<NodeAgentEvents>();
  const clusterRecorder = options.cluster?.createRecorder?.({ nodeName, clock, random, logger, metrics });
  const recorder = createPodEvents(clock, [options.recorder, clusterRecorder], (event) => emitter.emit('event', event));
  /** What nearly every subsystem is given. */
  const common = { clock, random, recorder, logger, metrics };
  const host = agentHost(options, common);
  const { machine, podDirs, files } = host;
  /** `/var/log/containers` beside `/var/log/pods`. */
  const legacyLogsDir = join(dirname(podLogsDir), 'containers');

  const podManager = createPodManager();
  const podConfig = createPodConfig({ clock, recorder });
  const seenSources = new Set<string>();
  const allSourcesReady = () => podConfig.seenAllSources(seenSources);

  /** The agent's end. */
  const ended = new AbortController();
  const stats = createAgentStats({
    agent: options,
    host,
    podLogsDir,
    pods: () => podManager.pods(),
    podStatus: (uid) => statusManager.getPodStatus(uid),
    volumes: () => volumeManager,
    volumeStatsAggPeriodMs: settings.volumeStatsAggPeriodMs,
    ...common,
  });
  const eviction = createAgentEviction(options.eviction, {
    summary: stats.provider,
    ...(host.fileSystems && { fileSystems: host.fileSystems }),
    nodeName,
    activePods: () => alivePods().map(allocation.updatePodFromAllocation),
    killPod: (pod, kill) => podWorkers.killPodNow(pod, kill),
    shouldPodBeFinished: (uid) => podWorkers.shouldPodBeFinished(uid),
    deleteAllUnusedContainers: async () => runtime.deleteAllUnusedContainers?.(),
    deleteUnusedImages: (signal) => imageGc.deleteUnusedImages(signal),
    ...common,
  });
  const admission = {
    activePods: () => alivePods(),
    preemptPod: (pod: Pod, podStatusFunc: (before: PodStatus) => PodStatus, signal?: AbortSignal) =>
      podWorkers.killPodNow(pod, { evict: true, podStatusFunc, ...(signal && { signal }) }),
  };
  /** The rules of a node hold without a cluster too. */
  const standalone =
    options.cluster === undefined
      ? createStandaloneNode({
          nodeName,
          node: options.node,
          host,
          hardEvictionThresholds: eviction?.hardThresholds,
          ...(options.nodeAllocatable && { nodeAllocatable: options.nodeAllocatable }),
          features: () => monitor.health()?.features,
          ...admission,
          ...common,
        })
      : undefined;
  const cluster =
    options.cluster &&
    createClusterParts({
      cluster: options.cluster,
      nodeName,
      podManager,
      couldHaveRunningContainers: (uid) => podWorkers.couldHaveRunningContainers(uid),
      nodeContext: {
        runtime: {
          errors: () => monitor.runtimeErrors(),
          networkErrors: () => [monitor.networkError()].filter((error) => error !== undefined),
          handlers: () => monitor.health()?.handlers ?? [],
          features: () => monitor.health()?.features,
          refresh: (signal) => waitAtMost(settings.runtimeStatusPeriodMs, monitor.refresh(), clock, signal),
        },
        inventory: {
          version: () => inventory.version(),
          images: (signal) => inventory.images(signal),
        },
        ...admission,
        ...(eviction && { pressure: eviction, hardEvictionThresholds: eviction.hardThresholds }),
        ...nodeVolumeFacts(() => volumes),
        features: agentFeatures(options),
        shutdownError: () => nodeShutdown.shutdownError(),
        recorder,
      },
      onConnection: (error) => emitter.emit('cluster', error),
      ...common,
      signal: ended.signal,
    });
  const environment = { ...cluster?.objects?.environment, ...options.environment };
  const hostIps = () => parts.hostIps ?? internalAddresses(cluster?.node?.current()) ?? host.addresses();
  const sources = cluster ? [...options.sources, cluster.source] : options.sources;
  const statusSink = options.statusSink ?? cluster?.statusSink;

  const nodeAllocatable = () =>
    options.nodeAllocatable?.() ??
    standalone?.allocatable() ??
    cluster?.node?.current()?.status?.allocatable ?? { cpu: `${machine.cpus}`, memory: `${machine.memoryBytes}` };
  const volumes = createAgentVolumes({
    agent: options,
    host,
    environment,
    pods: () => podManager.pods(),
    podStates: {
      shouldPodContainersBeTerminating: (uid) => podWorkers.shouldPodContainersBeTerminating(uid),
      shouldPodRuntimeBeRemoved: (uid) => podWorkers.shouldPodRuntimeBeRemoved(uid),
    },
    sourcesReady: allSourcesReady,
    nodeAllocatable,
    cachedNode: () => cluster?.node?.current(),
    selinux: machine.selinux ?? false,
    ...(machine.seLinuxFileLabel && { seLinuxFileLabel: machine.seLinuxFileLabel }),
    signal: ended.signal,
    ...common,
  });
  const volumeManager = volumes.manager;
  const podCache = createPodCache();
  const workQueue = createWorkQueue({ clock });
  const timeline = createTimeline({
    clock,
    emitter,
    podByUid: (uid) => podManager.podByUid(uid) ?? leaving.get(uid),
    runtimeStatus: (uid) => podCache.peek(uid)?.status,
  });
  const startFailures = createReasonCache();
  const backOffs = createBackOffs();
  const resizes = createResizeConditions({ clock, recorder });
  const statusManager = createStatusManager({
    clock,
    pods: podManager,
    logger,
    metrics,
    ...(statusSink && { sink: statusSink }),
  });
  const probeManager =
    options.probeManager ??
    createPodProbes({
      statusManager,
      cri: cri.runtime,
      ...common,
      ...(parts.runProbe && { runProbe: parts.runProbe }),
    });
  const syncSignals = new Map<string, AbortSignal>();
  const deadlines = createDeadlineTimers(clock, (uid) => handler.syncPods([uid]));

  const images = createImageManager({
    images: cri.image,
    ...common,
    ...(host.checkpoints && { pullRecords: host.checkpoints.pullRecords }),
    ...(options.imageCredentials && { credentials: options.imageCredentials }),
    settings: { ...options.imageSettings, serializeImagePulls: settings.serializeImagePulls },
  });
  const imageGc = createAgentImageGc({
    nodeName,
    cri: { ...cri, image: timeline.followImages(cri.image) },
    prunePullRecords: images.pullManager.pruneUnknownRecords,
    settings,
    host,
    ...common,
  });
  /** Settles what pulls an earlier agent left open; once, when the runtime answers. */
  const settlePulls = () =>
    images.start(ended.signal).catch((error) => logger.debug({ error }, `open image pulls are settled later: ${errorMessage(error)}`));
  const { runtime, retain: retainRuntime } = createAgentRuntime({
    agent: options,
    host,
    settings,
    podLogsDir,
    legacyLogsDir,
    environment,
    volumes,
    hostIps,
    nodeAllocatable,
    images: createImageEnsurer({
      images,
      getSecret: environment.getSecret?.bind(environment),
      signalOf: (uid) => syncSignals.get(uid),
      recorder,
      logger,
    }),
    runtimeHandler: cluster?.runtimeHandler,
    probeResults: probeManager.results,
    podState: {
      isPodTerminationRequested: (uid) => podWorkers.isPodTerminationRequested(uid),
      shouldPodContentBeRemoved: (uid) => podWorkers.shouldPodContentBeRemoved(uid),
      shouldPodRuntimeBeRemoved: (uid) => podWorkers.shouldPodRuntimeBeRemoved(uid),
    },
    requestReinspect: (uid) => pleg.requestReinspect(uid),
    onSandboxReady: (pod) => statusManager.setPodReadyToStartContainers(pod),
    signal: ended.signal,
    ...common,
  });
  const plegOptions = {
    runtime,
    cache: podCache,
    clock,
    relistPeriodMs: settings.relistPeriodMs,
    relistThresholdMs: settings.relistThresholdMs,
    logger,
    metrics,
  };
  const pleg =
    settings.evented === 'off'
      ? createGenericPleg(plegOptions)
      : createEventedPleg({
          ...plegOptions,
          evented: settings.evented,
          containerEvents: (signal) => cri.runtime.getContainerEvents({}, { signal }),
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
      if (errors.length > 0) return;
      void settlePulls();
      void eviction?.start(ended.signal);
    },
  });

  const inventory = createRuntimeInventory({ runtime, imageService: cri.image, clock, logger });

  const syncNodeStatus = async () => cluster?.node?.syncNodeStatus();
  const nodeShutdown = createNodeShutdown({
    agent: options,
    host,
    nodeName,
    activePods: () => alivePods(),
    killPod: (pod, kill) => podWorkers.killPodNow(pod, kill),
    waitForUnmount: async (pods, signal) => volumeManager.waitForAllPodsUnmount?.(pods, signal),
    syncNodeStatus,
    ...common,
  });
  const alivePods = () => activePods({ desiredPods: () => podManager.pods(), podWorkers, statusManager });
  const allocation = createAllocationManager({
    activePods: alivePods,
    nodeAllocatable,
    admitHandlers: [
      ...(eviction ? [eviction] : []),
      ...(options.admitHandlers ?? []),
      ...(standalone ? [standalone.admitHandler] : (cluster?.node?.admitHandlers ?? [])),
      nodeShutdown,
    ],
    actuatedPod: (pod) => runtime.actuatedPod?.(pod) ?? pod,
    allSourcesReady,
    syncPod: (uid) => handler.syncPods([uid], 'Resize'),
    resizeStarted: resizes.begin,
    ...(host.checkpoints && { store: host.checkpoints.allocations }),
    ...common,
  });
  const syncer = createPodSyncer({
    runtime,
    statusManager,
    generateStatus: createPodStatusGenerator({
      runtime,
      statusManager,
      probeManager,
      podWorkers: { isPodTerminationRequested: (uid) => podWorkers.isPodTerminationRequested(uid) },
      allocation,
      podByUid: (uid) => podManager.podByUid(uid),
      resizes,
      startFailures,
      hostIps,
      clock,
    }),
    startFailures: {
      update(uid, result) {
        startFailures.update(uid, result);
        backOffs.update(uid, result);
        resizes.update(uid, result);
        if (result.results.some(isDoneResize)) void allocation.retryPendingResizes('pod_resized');
      },
    },
    podDirs,
    networkError: monitor.networkError,
    volumeManager,
    probeManager,
    ...(cluster && {
      reconcileMirrorPod: (pod: Pod) => void cluster.mirrorPods.reconcile(pod, podManager.mirrorPodByPod(pod)),
    }),
    onSync: (pod) => cluster?.objects?.registerPod(pod),
    onContainersReset: (pod) => handler.syncPods([podUid(pod)], 'RestartAllContainers'),
    onTerminated(pod) {
      cluster?.objects?.unregisterPod(pod);
      void allocation.retryPendingResizes('pod_terminated');
    },
    onStatus: (pod) => deadlines.update(pod, statusManager.getPodStatus(podUid(pod))?.startTime),
    syncSignals,
    recorder,
    logger,
  });
  const podWorkers = createPodWorkers({
    syncer,
    cache: podCache,
    ...common,
    workQueue,
    resyncIntervalMs: settings.syncFrequencyMs,
    backOffPeriodMs: settings.backOffPeriodMs,
    requestRelist: (uid) => pleg.requestRelist(uid),
    onSynced: (uid) => {
      syncLoop.stir();
      timeline.synced(uid, podWorkers);
    },
    allocatedPod: allocation.updatePodFromAllocation,
    logger,
    metrics,
  });

  const containerLogs = createContainerLogs({ cri: cri.runtime, podCache, clock, logger, settings, host });
  const cleanup = createContainerCleanup({
    runtime,
    podCache,
    podWorkers,
    allSourcesReady,
    clock,
    logger,
    periodMs: settings.containerGCPeriodMs,
  });
  const isObserved = (uid: string) => podCache.peek(uid) !== undefined;
  const leaving = createLeavingPods({
    isObserved,
    onEnded: (uid) => {
      deadlines.cancel(uid);
      cleanup.soon();
    },
    onRemoved(pod) {
      cluster?.objects?.unregisterPod(pod);
      emitter.emit('removed', pod);
    },
  });
  let housekept: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    housekept = resolve;
  });
  const housekeeping = createHousekeeping({
    pods: () => podManager.podsAndMirrorPods(),
    allSourcesReady,
    podWorkers,
    runtime: {
      getPods: runtime.getPods,
      collectBackOff: () => {
        runtime.collectBackOff();
        images.collectBackOff();
      },
    },
    isObserved,
    collectSoon: () => cleanup.soon(),
    observedRunning: () => (pleg.unhealthyReason() === undefined ? runningPodUids(podCache.entries()) : undefined),
    statusManager,
    podDirs,
    probeManager,
    volumeManager,
    ...(cluster && { deleteMirrorPod: (mirrorPod: Pod) => void cluster.mirrorPods.deleteOrphan(mirrorPod) }),
    retain: (known) => {
      recorder.retain(known);
      resizes.retain(known);
      retainRuntime(known);
      backOffs.retain(known);
      allocation.removeOrphanedPods(known);
      leaving.retain(known);
    },
    logger,
  });
  const handler = createSyncHandler({
    pods: podManager,
    podWorkers,
    statusManager,
    allocation,
    onPodRejected(pod, refusal) {
      cluster?.objects?.unregisterPod(pod);
      rejectPod(pod, refusal, { recorder, statusManager });
    },
    onSourceSeen: (source) => {
      seenSources.add(source);
      volumeManager.podsChanged?.();
    },
    allSourcesReady,
    onContainerDied: cleanup.containerDied,
    onPodAdded(pod) {
      leaving.delete(podUid(pod));
      // At once: its volumes may be looked at before its first sync.
      if (!isMirrorPod(pod) && !isTerminalPhase(pod.status?.phase)) cluster?.objects?.registerPod(pod);
    },
    onPodRemoved: leaving.add,
    housekeeping: async () => {
      const settled = await housekeeping();
      volumeManager.podsChanged?.();
      if (allSourcesReady()) housekept();
      return settled;
    },
    now: clock.now,
    logger,
  });
  const syncLoop = createSyncLoop({
    config: podConfig.updates,
    podEvents: pleg.events,
    probeUpdates: probeManager.updates,
    workQueue,
    handler: timeline.follow(handler),
    runtimeErrors: monitor.runtimeErrors,
    clock,
    logger,
    housekeepingPeriodMs: settings.housekeepingPeriodMs,
    idleHousekeepingPeriodMs: settings.idleHousekeepingPeriodMs,
  });
  const server = createAgentServer({
    agent: options,
    podManager,
    statusManager,
    runtime,
    stats: stats.provider,
    lastSyncLoopStep: syncLoop.lastStep,
    syncFrequencyMs: settings.syncFrequencyMs,
    ...common,
  });
  statusManager.onStatus((uid, status) => {
    const pod = podManager.podByUid(uid) ?? leaving.get(uid);
    if (pod !== undefined && status !== undefined) emitter.emit('status', pod, status);
  });

  const subsystems: Startable[] = [
    ...(clusterRecorder ? [clusterRecorder] : []),
    ...(cluster?.members ?? []),
    ...sources,
    statusManager,
    pleg,
    allocation,
    containerLogs,
    imageGc,
    createAgentOomWatcher({ nodeName, host, recorder, logger }),
    volumes,
    stats,
    ...(server ? [server] : []),
    nodeShutdown,
  ];
  let loop: Promise<void> | undefined;
  async function begin(): Promise<void> {
    for (const dir of [podLogsDir, legacyLogsDir]) await files.makeDirectory(dir, 0o755);
    await standalone?.load();
    if (ended.signal.aborted) return;
    for (const source of options.sources) source.onPods = podConfig.channel(source.name, nodeName);
    if (cluster) cluster.source.onPods = podConfig.channel(cluster.source.name);
    if (machine.podIdsError !== undefined) logger.warn({ error: machine.podIdsError }, 'pods cannot have user namespaces');
    loop = syncLoop.run(ended.signal);
    monitor.start();
    cleanup.start();
    await Promise.all(subsystems.map((subsystem) => subsystem.start(ended.signal)));
  }

  async function end(reason: unknown, started: Promise<void> | undefined): Promise<void> {
    monitor.stop();
    deadlines.stop();
    // The workers first: their signals say that nothing is wanted any more, so that nothing takes the end for a failure.
    const workers = podWorkers.stop();
    ended.abort(reason);
    await started;
    await Promise.all([
      workers,
      probeManager.stop(),
      loop,
      cleanup.stop(),
      eviction?.stop(),
      ...subsystems.map((subsystem) => subsystem.stop()),
    ]);
    workQueue.stop();
  }

  const view = (pod: Pod): PodView => {
    const uid = podUid(pod);
    return {
      pod,
      status: statusManager.getPodStatus(uid) ?? pod.status ?? {},
      state: podWorkers.state(uid),
      lastEvent: recorder.last(uid),
    };
  };
  const allPods = () => [...podManager.pods(), ...leaving.pods()];

  const life = createAgentLife({ ended: ended.signal, begin, end });

  return {
    ready,
    start: life.start,
    stop: life.stop,
    shutdown: nodeShutdown.shutdown,
    syncNodeStatus,
    async stopPods(signal) {
      await Promise.all(sources.map((source) => source.stop()));
      for (const source of sources) podConfig.channel(source.name)([]);
      const until = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
      until.throwIfAborted();
      while (allPods().length > 0) {
        const finished = allPods().every((pod) => podWorkers.shouldPodBeFinished(podUid(pod)));
        if (finished) {
          await cleanup.collect();
          await pleg.relist(until);
          syncLoop.housekeep();
        }
        await clock.sleep(finished ? 10 : 100, until);
      }
    },
    pods: () =>
      allPods()
        .map(view)
        .sort((a, b) => podFullName(a.pod).localeCompare(podFullName(b.pod))),
    runtimeErrors: monitor.runtimeErrors,
    clusterError: () => cluster?.connection.error(),
    explain(uid) {
      const explanation = podWorkers.explain(uid);
      return explanation && { ...explanation, backOffs: explanation.state === 'SyncPod' ? backOffs.get(uid) : [] };
    },
    stats: stats.provider,
    eviction,
    imageGc,
    probeResults: probeManager.results,
    streaming: serverStreaming({ runtime }),
    serverPorts: () => server?.ports,
    events: recorder.of,
    pulls: images.pulls,
    on: (event, listener) => void emitter.on(event, listener as never),
    off: (event, listener) => void emitter.off(event, listener as never),
  };
}

/** The addresses that a Node has inside the cluster; undefined without any. */
function internalAddresses(node: Node | undefined): string[] | undefined {
  const addresses = node?.status?.addresses?.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  return addresses?.length ? addresses : undefined;
}

const isDoneResize = ({ action, error }: SyncResult) => action === 'ResizePodInPlace' && error === undefined;
