import { NodeAgentError, type NodeVolumeManager, type Pod } from '@nodeagent/api';
import { podUid, volumePaths } from '@nodeagent/api/helpers';
import { volumeManagerErrorCodes } from './errors.js';
import { createVolumeMetrics, type VolumeMetrics } from './metrics.js';
import { createOperationExecutor, type OperationExecutor } from './operations/executor.js';
import { type ResolvedOptions, resolveOptions, type VolumeManagerOptions } from './options.js';
import { createPassLoop, type PassLoop } from './pass-loop.js';
import { createPluginRegistry, type PluginRegistry } from './plugin-registry.js';
import { createPodProcessing, type PodProcessing } from './populator/pod-processing.js';
import { createPopulator, type Populator } from './populator/populator.js';
import { createNodeStatusReads } from './reconciler/node-status-reads.js';
import { createOrphanedFolders, type OrphanedFolders } from './reconciler/orphaned-folders.js';
import { createReconciler, type Reconciler } from './reconciler/reconciler.js';
import { reconstructVolumes } from './reconciler/reconstruct.js';
import { createActualState } from './state/actual-state.js';
import { createDesiredState } from './state/desired-state.js';
import { expectedVolumes } from './state/pod-volumes.js';
import { extraSupplementalGroups, mountedVolumesOfPod, type VolumeStates, volumesInUse } from './state/queries.js';
import { createPodVolumeStats } from './stats/pod-volume-stats.js';
import { isAttachmentLimitExceeded } from './waiting/attachment-limit.js';
import { waitUntilMounted, waitUntilUnmounted } from './waiting/mount-progress.js';
import { createWaiters } from './waiting/waiters.js';

/**
 * A manager that mounts the volumes that pods use and unmounts all others (the kubelet's volume manager). It processes pods after
 * `podsChanged()`, and volumes when an operation has finished or its back-off is over; it does not poll. Throws `InvalidOption`.
 */
export function createVolumeManager(options: VolumeManagerOptions): NodeVolumeManager {
  return new VolumeReconciliation(resolveOptions(options));
}

class VolumeReconciliation implements NodeVolumeManager {
  readonly volumeStats: NodeVolumeManager['volumeStats'];
  readonly #options: ResolvedOptions;
  readonly #states: VolumeStates = { desired: createDesiredState(), actual: createActualState() };
  readonly #plugins: PluginRegistry;
  readonly #metrics: VolumeMetrics;
  readonly #waiters;
  readonly #populator: Populator;
  readonly #podProcessing: PodProcessing;
  readonly #executor: OperationExecutor;
  readonly #orphans: OrphanedFolders;
  readonly #reconciler: Reconciler;
  readonly #readNodeStatus: (signal: AbortSignal) => number;
  readonly #loop: PassLoop;
  #running = new AbortController().signal;

  constructor(options: ResolvedOptions) {
    const { clock, logger } = options;
    this.#options = options;
    this.#plugins = createPluginRegistry(options.plugins);
    this.#metrics = createVolumeMetrics(options.metrics);
    this.#waiters = createWaiters(clock);
    this.volumeStats = createPodVolumeStats(this.#states, { clock, logger });
    this.#populator = this.#createPopulator();
    const trigger = () => this.#loop.trigger();
    this.#podProcessing = createPodProcessing({ ...options, populator: this.#populator, onProcessed: trigger });
    const parts = { ...options, ...this.#states, plugins: this.#plugins, metrics: this.#metrics };
    this.#executor = createOperationExecutor({ ...parts, context: parts, onSettled: trigger });
    this.#orphans = createOrphanedFolders({ ...parts, executor: this.#executor, mustStay: (uid) => this.#mustStay(uid) });
    this.#reconciler = this.#createReconciler();
    this.#readNodeStatus = createNodeStatusReads({ ...options, reconciler: this.#reconciler, onRead: trigger });
    this.#loop = createPassLoop({
      clock,
      before: (signal) => this.#reconstruct(signal),
      pass: () => this.#pass(),
      onError: (error) => logger.error({ err: error }, 'volume manager pass failed'),
    });
  }

  // Arrow functions, so that a wrapper that spreads the manager has all of its methods.
  readonly start = (signal?: AbortSignal): Promise<void> => this.#loop.start(signal);

  readonly stop = async (): Promise<void> => {
    await this.#loop.stop();
    await Promise.all([this.#executor.idle(), this.#podProcessing.idle()]);
  };

  readonly podsChanged = (): void => this.#loop.trigger();

  readonly waitForAttachAndMount = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    const uid = podUid(pod);
    if (expectedVolumes(pod).length === 0) return;
    this.#reprocess(uid);
    const text = await waitUntilMounted(this.#states, pod, this.#waitOptions(signal));
    if (text === undefined) return;
    if (await isAttachmentLimitExceeded(this.#states, uid, signal)) {
      const message = `Node has reached its volume attachment limit, rejecting pod. ${text}`;
      throw new NodeAgentError(volumeManagerErrorCodes.attachmentLimitExceeded, message);
    }
    throw new NodeAgentError(volumeManagerErrorCodes.notMounted, text, { retryable: true });
  };

  readonly waitForUnmount = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    this.#reprocess(podUid(pod));
    const text = await waitUntilUnmounted(this.#states, pod, this.#waitOptions(signal));
    if (text !== undefined) throw new NodeAgentError(volumeManagerErrorCodes.notUnmounted, text, { retryable: true });
  };

  readonly getMountedVolumesForPod = (uid: string) => mountedVolumesOfPod(this.#states, uid);

  readonly hasPossiblyMountedVolumesForPod = (uid: string): boolean =>
    this.#executor.isBusyFor(uid) || this.#states.actual.possiblyMountedOfPod(uid).length > 0;

  readonly getExtraSupplementalGroupsForPod = (pod: Pod) => extraSupplementalGroups(this.#states.actual, pod, podUid(pod));

  readonly getVolumesInUse = () => volumesInUse(this.#states);

  readonly markVolumesAsReportedInUse = (volumeNames: readonly string[]): void => {
    if (this.#states.desired.markVolumesReportedInUse(volumeNames)) this.#loop.trigger();
  };

  readonly reconcilerStatesHasBeenSynced = (): boolean => this.#reconciler.statesSynced;

  readonly volumeIsAttached = (volumeName: string): boolean => this.#states.actual.get(volumeName) !== undefined;

  #createPopulator(): Populator {
    const { pods, podStates, clock, claims, persistentVolumes, seLinuxFileLabel } = this.#options;
    return createPopulator({
      ...this.#states,
      plugins: this.#plugins,
      pods,
      podStates,
      now: clock.monotonic,
      claims,
      persistentVolumes,
      seLinuxFileLabel,
    });
  }

  #createReconciler(): Reconciler {
    const { settings, podStates, getNode } = this.#options;
    return createReconciler({
      ...this.#states,
      isPending: this.#executor.isPending,
      controllerAttachDetach: settings.controllerAttachDetach,
      hasAddedPods: () => this.#populator.hasAddedPods,
      execute: (operation) => this.#executor.execute(operation, this.#running),
      mustStay: (uid) => this.#mustStay(uid),
      isTerminating: (uid) => podStates.shouldPodContainersBeTerminating(uid),
      cleanOrphans: () => this.#orphans.clean(this.#running),
      getNode,
    });
  }

  #waitOptions(signal: AbortSignal) {
    return { waiters: this.#waiters, timeoutMs: this.#options.settings.waitTimeoutMs, signal };
  }

  /** Whether the pod's mounted volumes must stay. A pod that was deleted while no agent ran may still have running containers. */
  #mustStay(uid: string): boolean {
    const { pods, podStates } = this.#options;
    if (this.#populator.isUnresolved(uid)) return true;
    return !pods().some((pod) => podUid(pod) === uid) && !podStates.shouldPodRuntimeBeRemoved(uid);
  }

  #reprocess(uid: string): void {
    this.#states.desired.clearPodErrors(uid);
    this.#podProcessing.reprocess(uid);
    this.#loop.trigger();
  }

  async #reconstruct(signal: AbortSignal): Promise<void> {
    const { node, rootDir, logger } = this.#options;
    this.#running = signal;
    try {
      const { actual } = this.#states;
      const paths = volumePaths(rootDir);
      const found = await reconstructVolumes({ actual, plugins: this.#plugins, node, paths, logger, metrics: this.#metrics });
      this.#orphans.set(found.failed);
      for (const name of found.volumeNames) this.#reconciler.awaitingNodeStatus.add(name);
    } catch (error) {
      logger.error({ err: error }, 'could not reconstruct the volumes of the previous run');
    }
  }

  /** Returns when the next pass is due, in monotonic milliseconds. */
  #pass(): number {
    const podsDue = this.#podProcessing.run(this.#running);
    this.#reconciler.reconcile();
    const nodeReadDue = this.#readNodeStatus(this.#running);
    this.#metrics.volumes('desired_state_of_world', this.#states.desired.countByPlugin());
    this.#metrics.volumes('actual_state_of_world', this.#states.actual.countByPlugin());
    this.#waiters.check();
    return Math.min(podsDue, nodeReadDue, this.#executor.takeRetryAt());
  }
}
