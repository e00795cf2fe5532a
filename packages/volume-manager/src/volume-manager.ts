import {
  afterFailure,
  type Clock,
  checkOptionNames,
  defaultNodeName,
  type EventRecorder,
  type ExponentialBackoff,
  isSafeToRetry,
  type Logger,
  type Metrics,
  type Node,
  NodeAgentError,
  type NodeVolumeManager,
  noEvents,
  noMetrics,
  type ObjectGetter,
  type ObjectPatcher,
  type OptionNames,
  type PersistentVolumeClaim,
  type Pod,
  podUid,
  requirePositive,
  safeToRetryAt,
  silentLogger,
  systemClock,
  type VolumeNode,
  type VolumePlugin,
  volumePaths,
} from '@nodeagent/api';
import { volumeManagerErrorCodes } from './errors.js';
import { createVolumeMetrics } from './metrics.js';
import { createOperationExecutor } from './operations/executor.js';
import { tearDown } from './operations/unmount-volume.js';
import { createPassLoop } from './pass-loop.js';
import { createPluginRegistry } from './plugin-registry.js';
import { createPopulator, type PodStates } from './populator/populator.js';
import type { ClaimGetters } from './populator/volume-spec.js';
import { createReconciler } from './reconciler/reconciler.js';
import { reconstructVolumes, type VolumeFolder } from './reconciler/reconstruct.js';
import { createActualState } from './state/actual-state.js';
import { createDesiredState } from './state/desired-state.js';
import { expectedVolumes } from './state/pod-volumes.js';
import { extraSupplementalGroups, mountedVolumesOfPod, volumesInUse } from './state/queries.js';
import { createPodVolumeStats } from './stats/pod-volume-stats.js';
import { isAttachmentLimitExceeded } from './waiting/attachment-limit.js';
import { waitUntilMounted, waitUntilUnmounted } from './waiting/mount-progress.js';
import { createWaiters } from './waiting/waiters.js';

/** Options of {@link createVolumeManager}. */
export interface VolumeManagerOptions extends ClaimGetters {
  /** The volume plugins. Exactly one must support a volume. */
  plugins: readonly VolumePlugin[];
  /** File system and mount operations of the node. */
  node: VolumeNode;
  /** The agent's root directory; volumes are in `pods/<uid>/volumes/...`. */
  rootDir: string;
  /** The admitted pods of this node, including those that are terminating. Called in each pass, so it must be fast. */
  pods(): readonly Pod[];
  /** How far the termination of a pod has got. Default: a pod in `pods()` runs, any other has terminated. */
  podStates?: PodStates;
  /** Whether every pod source has reported its pods: before that no volume is unmounted. Default: true, `pods()` is complete. */
  sourcesReady?(): boolean;
  /** The name of the Node that `nodes` reads. Default: the machine's host name. */
  nodeName?: string;
  /** Reads the Node. Default: none; volumes cannot be attached, as without a cluster. */
  nodes?: ObjectGetter<Node>;
  /** The Node as last read, for its labels and attached volumes. Default: unknown. */
  cachedNode?(): Node | undefined;
  /** Writes a claim's status after its volume was expanded. Default: the status is not written. */
  claimStatuses?: ObjectPatcher<PersistentVolumeClaim>;
  /**
   * Default SELinux label of containers' files, such as `system_u:object_r:container_file_t:s0`. The manager mounts a volume that one pod at
   * a time can use with the label of that pod. Default: SELinux is disabled.
   */
  seLinuxFileLabel?: string;
  settings?: Partial<VolumeManagerSettings>;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: none. */
  recorder?: EventRecorder;
  /** Default: silent. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
}

const optionNames: OptionNames<VolumeManagerOptions> = {
  plugins: true,
  node: true,
  rootDir: true,
  nodeName: true,
  pods: true,
  podStates: true,
  sourcesReady: true,
  nodes: true,
  cachedNode: true,
  claimStatuses: true,
  seLinuxFileLabel: true,
  settings: { controllerAttachDetach: true, waitTimeoutMs: true },
  clock: true,
  recorder: true,
  logger: true,
  metrics: true,
  claims: true,
  persistentVolumes: true,
};

export interface VolumeManagerSettings {
  /** Whether the attach/detach controller attaches volumes (`enableControllerAttachDetach`). Default true. */
  controllerAttachDetach: boolean;
  /** How long a pod waits for its volumes, in milliseconds. Default 123000. */
  waitTimeoutMs: number;
}

/** Retry period while the Node cannot be read. */
const nodeStatusRetryMs = 1000;

/**
 * A manager that mounts the volumes that pods use and unmounts all others (the kubelet's volume manager). It processes pods after
 * `podsChanged()`, and volumes when an operation has finished or its back-off is over; it does not poll. Throws `InvalidOption`.
 */
export function createVolumeManager(options: VolumeManagerOptions): NodeVolumeManager {
  checkOptionNames('createVolumeManager', options, optionNames);
  const { pods, node, nodes, nodeName = defaultNodeName(), sourcesReady = () => true, cachedNode = () => undefined } = options;
  const { clock = systemClock, recorder = noEvents, logger = silentLogger } = options;
  const { controllerAttachDetach = true, waitTimeoutMs = 123_000 } = options.settings ?? {};
  requirePositive('settings.waitTimeoutMs', waitTimeoutMs);

  const isAbsent = (uid: string) => !pods().some((pod) => podUid(pod) === uid);
  const podStates = options.podStates ?? { shouldPodContainersBeTerminating: isAbsent, shouldPodRuntimeBeRemoved: isAbsent };
  const plugins = createPluginRegistry(options.plugins);
  const paths = volumePaths(options.rootDir);
  const metrics = createVolumeMetrics(options.metrics ?? noMetrics);
  const states = { desired: createDesiredState(), actual: createActualState() };
  const { desired, actual } = states;
  const getNode = nodes && ((signal: AbortSignal) => nodes.get({ name: nodeName }, { signal }));
  const waiters = createWaiters(clock);
  const populator = createPopulator({
    ...states,
    plugins,
    pods,
    podStates,
    now: clock.monotonic,
    ...(options.claims && { claims: options.claims }),
    ...(options.persistentVolumes && { persistentVolumes: options.persistentVolumes }),
    ...(options.seLinuxFileLabel !== undefined && { seLinuxFileLabel: options.seLinuxFileLabel }),
  });
  const executor = createOperationExecutor({
    context: { ...options, ...states, plugins, nodeName, cachedNode, getNode, recorder, clock },
    clock,
    recorder,
    logger,
    metrics,
    onSettled: () => loop.trigger(),
  });
  /** A pod that was deleted while no agent ran may still have running containers. */
  const mustStay = (uid: string) => populator.isUnresolved(uid) || (isAbsent(uid) && !podStates.shouldPodRuntimeBeRemoved(uid));
  /** Folders from a previous run that could not be reconstructed. */
  let orphans: VolumeFolder[] = [];
  let running = new AbortController().signal;
  const reconciler = createReconciler({
    ...states,
    isPending: executor.isPending,
    controllerAttachDetach,
    hasAddedPods: () => populator.hasAddedPods,
    execute: (operation) => executor.execute(operation, running),
    mustStay,
    isTerminating: (uid) => podStates.shouldPodContainersBeTerminating(uid),
    cleanOrphans() {
      const ready = orphans.filter(({ podUid: uid }) => !mustStay(uid));
      orphans = orphans.filter((each) => !ready.includes(each));
      ready.forEach(cleanOrphan);
    },
    getNode,
  });

  /** Pods that could not be processed, with the back-off of the next attempt. */
  const failedPods = new Map<string, ExponentialBackoff>();
  const processing = new Set<Promise<void>>();
  let isAddingAll = false;
  let isReadingNode = false;
  let nodeReadAt = Number.NEGATIVE_INFINITY;

  function cleanOrphan({ podUid: uid, pluginName, specName: name, path }: VolumeFolder): void {
    if (desired.volumeExistsWithSpecName(uid, name)) return;
    try {
      const plugin = plugins.byName(pluginName);
      metrics.forceCleaned.inc();
      const spec = { volume: { name }, readOnly: false };
      const run = (signal: AbortSignal) => tearDown({ node }, { plugin, podUid: uid, name }, signal);
      const counted = (signal: AbortSignal) =>
        run(signal).catch((error) => {
          metrics.forceCleanErrors.inc();
          throw error;
        });
      executor.run(
        { name: 'volume_unmount', volumeName: `${pluginName}/${uid}-${name}`, podUid: uid, plugin, spec, run: counted },
        running,
      );
    } catch (error) {
      metrics.forceCleanErrors.inc();
      logger.warn({ podUID: uid, path, err: error }, 'could not clean up the volume folder of a previous run');
    }
  }

  function processPod(uid: string): void {
    const work = populator.process(uid, running).then((done) => {
      processing.delete(work);
      if (done) failedPods.delete(uid);
      else failedPods.set(uid, afterFailure(failedPods.get(uid), undefined, clock.monotonic()));
      loop.trigger();
    });
    processing.add(work);
  }

  /** Processes the pods that are due. Returns when the next one is due. */
  function populate(): number {
    const now = clock.monotonic();
    // Read first, so that the pods of the last source are among those processed below.
    const ready = sourcesReady();
    let next = Number.POSITIVE_INFINITY;
    for (const uid of populator.unprocessed()) {
      const failure = failedPods.get(uid);
      if (failure === undefined || isSafeToRetry(failure, now)) processPod(uid);
      else next = Math.min(next, safeToRetryAt(failure));
    }
    if (ready && !populator.hasAddedPods && !isAddingAll) {
      isAddingAll = true;
      void Promise.all(processing).then(() => {
        populator.hasAddedPods = true;
        loop.trigger();
      });
    }
    populator.removeTerminatedPods();
    if (failedPods.size > 0) {
      const known = new Set(pods().map(podUid));
      for (const uid of failedPods.keys()) if (!known.has(uid)) failedPods.delete(uid);
    }
    return next;
  }

  /** Reads the Node's status if a reconstructed volume needs it. Returns the time of the next attempt. */
  function updateReconstructed(): number {
    if (reconciler.awaitingNodeStatus.size === 0 || isReadingNode) return Number.POSITIVE_INFINITY;
    if (clock.monotonic() < nodeReadAt) return nodeReadAt;
    isReadingNode = true;
    nodeReadAt = clock.monotonic() + nodeStatusRetryMs;
    void reconciler
      .updateFromNodeStatus(running)
      .catch((error) => logger.warn({ node: nodeName, err: error }, "could not read the node's attached volumes"))
      .finally(() => {
        isReadingNode = false;
        loop.trigger();
      });
    return Number.POSITIVE_INFINITY;
  }

  const loop = createPassLoop({
    clock,
    async before(signal) {
      running = signal;
      try {
        const found = await reconstructVolumes({ actual, plugins, node, paths, logger, metrics });
        orphans = found.failed;
        for (const name of found.volumeNames) reconciler.awaitingNodeStatus.add(name);
      } catch (error) {
        logger.error({ err: error }, 'could not reconstruct the volumes of the previous run');
      }
    },
    pass() {
      const podsDue = populate();
      reconciler.reconcile();
      const nodeReadDue = updateReconstructed();
      metrics.volumes('desired_state_of_world', desired.countByPlugin());
      metrics.volumes('actual_state_of_world', actual.countByPlugin());
      waiters.check();
      return Math.min(podsDue, nodeReadDue, executor.takeRetryAt());
    },
    onError: (error) => logger.error({ err: error }, 'volume manager pass failed'),
  });

  const reprocess = (uid: string) => {
    desired.clearPodErrors(uid);
    failedPods.delete(uid);
    populator.reprocess(uid);
    loop.trigger();
  };

  const manager: NodeVolumeManager = {
    start: loop.start,
    async stop() {
      await loop.stop();
      await Promise.all([executor.idle(), ...processing]);
    },
    podsChanged: () => loop.trigger(),
    async waitForAttachAndMount(pod, signal) {
      const uid = podUid(pod);
      if (expectedVolumes(pod).length === 0) return;
      reprocess(uid);
      const text = await waitUntilMounted(states, pod, { waiters, timeoutMs: waitTimeoutMs, signal });
      if (text === undefined) return;
      if (await isAttachmentLimitExceeded(states, uid, signal)) {
        const message = `Node has reached its volume attachment limit, rejecting pod. ${text}`;
        throw new NodeAgentError(volumeManagerErrorCodes.attachmentLimitExceeded, message);
      }
      throw new NodeAgentError(volumeManagerErrorCodes.notMounted, text, { retryable: true });
    },
    async waitForUnmount(pod, signal) {
      reprocess(podUid(pod));
      const text = await waitUntilUnmounted(states, pod, { waiters, timeoutMs: waitTimeoutMs, signal });
      if (text !== undefined) throw new NodeAgentError(volumeManagerErrorCodes.notUnmounted, text, { retryable: true });
    },
    getMountedVolumesForPod: (uid) => mountedVolumesOfPod(states, uid),
    hasPossiblyMountedVolumesForPod: (uid) => executor.isBusyFor(uid) || actual.possiblyMountedOfPod(uid).length > 0,
    getExtraSupplementalGroupsForPod: (pod) => extraSupplementalGroups(actual, pod, podUid(pod)),
    getVolumesInUse: () => volumesInUse(states),
    markVolumesAsReportedInUse(volumeNames) {
      if (desired.markVolumesReportedInUse(volumeNames)) loop.trigger();
    },
    reconcilerStatesHasBeenSynced: () => reconciler.statesSynced,
    volumeIsAttached: (volumeName) => actual.get(volumeName) !== undefined,
    volumeStats: createPodVolumeStats(states, { clock, logger }),
  };
  return manager;
}
