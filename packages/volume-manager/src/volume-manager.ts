import {
  afterFailure,
  type Clock,
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
import { type FoundFolder, reconstructVolumes } from './reconciler/reconstruct.js';
import { measurePodVolumes } from './stats/pod-volume-stats.js';
import { isAttachmentLimitExceeded } from './waiting/attachment-limit.js';
import { describeMounted, describeUnmounted, mountProgress, stillMountedVolumes } from './waiting/mount-progress.js';
import { createWaiters } from './waiting/waiters.js';
import { createActualWorld } from './world/actual-world.js';
import { createDesiredWorld } from './world/desired-world.js';
import { expectedVolumes } from './world/pod-volumes.js';
import { extraSupplementalGroups, mountedVolumesOfPod, volumesInUse } from './world/queries.js';

/** Options of {@link createVolumeManager}. */
export interface VolumeManagerOptions extends ClaimGetters {
  /** The kinds of volumes that can be mounted. */
  plugins: readonly VolumePlugin[];
  /** What the manager itself does on the node. */
  node: VolumeNode;
  /** Folder of the agent's own files: `pods/<uid>/volumes/...`. */
  rootDir: string;
  nodeName: string;
  /** The pods that shall run here, and those that still end. Asked often. */
  pods(): readonly Pod[];
  podStates: PodStates;
  /** Whether every source of pods has delivered its list: before that nothing is unmounted. */
  sourcesReady(): boolean;
  /** Where the node is read; without it nobody attaches volumes, as without a cluster. */
  nodes?: ObjectGetter<Node>;
  /** The node as last seen, for its labels and attached volumes. Default: not known. */
  cachedNode?(): Node | undefined;
  /** Where the status of a claim is written when its volume has grown. Default: it is not written. */
  claimStatuses?: ObjectPatcher<PersistentVolumeClaim>;
  /**
   * The SELinux label of containers' files where nobody says otherwise, such as `system_u:object_r:container_file_t:s0`: volumes that one
   * pod at a time may have are mounted with the label of its containers. Default: SELinux is not enabled.
   */
  seLinuxFileLabel?: string;
  settings?: Partial<VolumeManagerSettings>;
  /** Default: real time. */
  clock?: Clock;
  /** Default: none. */
  recorder?: EventRecorder;
  /** Default: silent. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
}

export interface VolumeManagerSettings {
  /** Whether a controller attaches volumes to nodes (`enableControllerAttachDetach`). Default true. */
  controllerAttachDetach: boolean;
  /** How long a pod waits for its volumes, in milliseconds. Default 123000. */
  waitTimeoutMs: number;
}

/** While the node's status cannot be read it is tried this often. */
const nodeStatusRetryMs = 1000;
const outOfTime = 'context deadline exceeded';

/**
 * A manager that mounts what pods want and unmounts what none wants (the kubelet's volume manager). It looks at pods when it is told of a
 * change, and at volumes when an operation ended or may be tried again; it does nothing in between. Throws `InvalidOption`.
 */
export function createVolumeManager(options: VolumeManagerOptions): NodeVolumeManager {
  const { pods, sourcesReady, nodeName, node, nodes, cachedNode = () => undefined } = options;
  const { clock = systemClock, recorder = noEvents, logger = silentLogger } = options;
  const { controllerAttachDetach = true, waitTimeoutMs = 123_000 } = options.settings ?? {};
  requirePositive('settings.waitTimeoutMs', waitTimeoutMs);

  const plugins = createPluginRegistry(options.plugins);
  const paths = volumePaths(options.rootDir);
  const metrics = createVolumeMetrics(options.metrics ?? noMetrics);
  const worlds = { desired: createDesiredWorld(), actual: createActualWorld() };
  const { desired, actual } = worlds;
  const getNode = nodes && ((signal: AbortSignal) => nodes.get({ name: nodeName }, { signal }));
  const waiters = createWaiters(clock);
  const populator = createPopulator({ ...options, ...worlds, plugins, now: clock.monotonic });
  const executor = createOperationExecutor({
    context: { ...options, ...worlds, plugins, cachedNode, getNode, recorder, clock },
    clock,
    recorder,
    logger,
    metrics,
    onSettled: () => loop.wake(),
  });
  /** Folders of which a restart could not tell what they are. */
  let orphans: FoundFolder[] = [];
  let running = new AbortController().signal;
  const reconciler = createReconciler({
    ...worlds,
    isPending: executor.isPending,
    controllerAttachDetach,
    hasAddedPods: () => populator.hasAddedPods,
    execute: (operation) => executor.execute(operation, running),
    isUnresolved: populator.isUnresolved,
    cleanOrphans() {
      const ready = orphans.filter(({ podUid: uid }) => !populator.isUnresolved(uid));
      orphans = orphans.filter((each) => !ready.includes(each));
      ready.forEach(cleanOrphan);
    },
    getNode,
  });

  /** Pods that could not be looked at, and when they are again. */
  const failedPods = new Map<string, ExponentialBackoff>();
  const processing = new Set<Promise<void>>();
  let isAddingAll = false;
  let isSettling = false;
  let settleAt = Number.NEGATIVE_INFINITY;

  function cleanOrphan({ podUid: uid, pluginName, specName: name, path }: FoundFolder): void {
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
      logger.warn({ podUID: uid, path, err: error }, 'cleaning up an unknown volume');
    }
  }

  function lookAt(uid: string): void {
    const work = populator.process(uid, running).then((done) => {
      processing.delete(work);
      if (done) failedPods.delete(uid);
      else failedPods.set(uid, afterFailure(failedPods.get(uid), undefined, clock.monotonic()));
      loop.wake();
    });
    processing.add(work);
  }

  /** Looks at the pods that are due. Returns when the next one is. */
  function populate(): number {
    const now = clock.monotonic();
    // Asked before: pods that come with the last source are among those that are looked at.
    const ready = sourcesReady();
    let next = Number.POSITIVE_INFINITY;
    for (const uid of populator.unprocessed()) {
      const failure = failedPods.get(uid);
      if (failure === undefined || isSafeToRetry(failure, now)) lookAt(uid);
      else next = Math.min(next, safeToRetryAt(failure));
    }
    if (ready && !populator.hasAddedPods && !isAddingAll) {
      isAddingAll = true;
      void Promise.all(processing).then(() => {
        populator.hasAddedPods = true;
        loop.wake();
      });
    }
    populator.removeEnded();
    if (failedPods.size > 0) {
      const known = new Set(pods().map(podUid));
      for (const uid of failedPods.keys()) if (!known.has(uid)) failedPods.delete(uid);
    }
    return next;
  }

  /** Reads the node's status if a volume that was found waits for it. Returns when that is tried next. */
  function settleFound(): number {
    if (reconciler.awaitingNodeStatus.size === 0 || isSettling) return Number.POSITIVE_INFINITY;
    if (clock.monotonic() < settleAt) return settleAt;
    isSettling = true;
    settleAt = clock.monotonic() + nodeStatusRetryMs;
    void reconciler
      .settle(running)
      .catch((error) => logger.warn({ node: nodeName, err: error }, "reading the node's attached volumes"))
      .finally(() => {
        isSettling = false;
        loop.wake();
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
        logger.error({ err: error }, 'volumes of before cannot be looked for');
      }
    },
    pass() {
      const podsDue = populate();
      reconciler.reconcile();
      const settleDue = settleFound();
      metrics.volumes('desired_state_of_world', desired.countByPlugin());
      metrics.volumes('actual_state_of_world', actual.countByPlugin());
      waiters.check();
      return Math.min(podsDue, settleDue, executor.takeRetryAt());
    },
    onError: (error) => logger.error({ err: error }, 'volumes are not looked at'),
  });

  const lookAgain = (uid: string) => {
    desired.clearPodErrors(uid);
    failedPods.delete(uid);
    populator.reprocess(uid);
    loop.wake();
  };

  const manager: NodeVolumeManager = {
    start: loop.start,
    async stop() {
      await loop.stop();
      await Promise.all([executor.idle(), ...processing]);
    },
    podsChanged: () => loop.wake(),
    async waitForAttachAndMount(pod, signal) {
      const uid = podUid(pod);
      const expected = expectedVolumes(pod);
      if (expected.length === 0) return;
      lookAgain(uid);
      const failure = await waiters.wait(() => mountProgress(worlds, uid, expected), waitTimeoutMs, outOfTime, signal);
      const text = failure === undefined ? undefined : describeUnmounted(worlds, uid, expected, failure);
      if (text === undefined) return;
      if (await isAttachmentLimitExceeded(worlds, uid, signal)) {
        const message = `Node has reached its volume attachment limit, rejecting pod. ${text}`;
        throw new NodeAgentError(volumeManagerErrorCodes.attachmentLimitExceeded, message);
      }
      throw new NodeAgentError(volumeManagerErrorCodes.notMounted, text, { retryable: true });
    },
    async waitForUnmount(pod, signal) {
      const uid = podUid(pod);
      lookAgain(uid);
      const progress = () => {
        const errors = desired.popPodErrors(uid);
        if (errors.length > 0) return { done: true, failure: errors.join('; ') };
        return { done: stillMountedVolumes(worlds, uid).length === 0 };
      };
      const failure = await waiters.wait(progress, waitTimeoutMs, outOfTime, signal);
      const text = failure === undefined ? undefined : describeMounted(worlds, uid, failure);
      if (text !== undefined) throw new NodeAgentError(volumeManagerErrorCodes.notUnmounted, text, { retryable: true });
    },
    getMountedVolumesForPod: (uid) => mountedVolumesOfPod(worlds, uid),
    hasPossiblyMountedVolumesForPod: (uid) => executor.isBusyFor(uid) || actual.possiblyMountedOfPod(uid).length > 0,
    getExtraSupplementalGroupsForPod: (pod) => extraSupplementalGroups(actual, pod, podUid(pod)),
    getVolumesInUse: () => volumesInUse(worlds),
    markVolumesAsReportedInUse(volumeNames) {
      if (desired.markVolumesReportedInUse(volumeNames)) loop.wake();
    },
    reconcilerStatesHasBeenSynced: () => reconciler.statesSynced,
    volumeIsAttached: (volumeName) => actual.get(volumeName) !== undefined,
    volumeStats: (pod, signal) => measurePodVolumes(worlds, pod, { clock, logger, signal }),
  };
  return manager;
}
