import { rejectPod } from '@nodeagent/allocation';
import { isMirrorPod, isTerminalPhase, type Pod, type PodLifecycleEventGenerator, podUid, type SyncResult } from '@nodeagent/api';
import type { EventedPleg } from '@nodeagent/pleg';
import { runningPodUids } from '@nodeagent/pleg/decisions';
import { createPodWorkers } from '@nodeagent/pod-workers';
import { createDeadlineTimers, createResizeConditions, createStatusManager } from '@nodeagent/status-manager';
import type { AgentParts, Components } from '../components.js';
import { createHousekeeping } from '../pods/housekeeping.js';
import { createPodCgroupSteps } from '../pods/pod-cgroup-steps.js';
import { createPodStatusGenerator } from '../pods/pod-status-generator.js';
import { createPodSyncer, type PodSyncerOptions } from '../pods/pod-syncer.js';
import { createRemovedPods } from '../pods/removed-pods.js';
import { createReplacedStaticPods } from '../pods/replaced-static-pods.js';
import { createSyncHandler } from '../pods/sync-handler.js';
import { createSyncLoop } from '../pods/sync-loop.js';
import { createTimeline } from '../view/timeline.js';
import { createPodProbes } from './probe-manager.js';

/** Reports what happens on the node as a sequence of entries. */
export function timeline(c: Components): AgentParts['timeline'] {
  const { podManager, podCache } = c.state;
  return createTimeline({
    clock: c.common.clock,
    emitter: c.emitter,
    podByUid: (uid) => podManager.podByUid(uid) ?? c.removedPods.get(uid),
    runtimeStatus: (uid) => podCache.peek(uid)?.status,
  });
}

/** The conditions of resizes in progress. */
export function resizes({ common }: Components): AgentParts['resizes'] {
  const { clock, recorder } = common;
  return createResizeConditions({ clock, recorder });
}

/** Holds the statuses of the pods. */
export function statusManager({ agent, state, common, cluster }: Components): AgentParts['statusManager'] {
  const { clock, logger, metrics } = common;
  const sink = agent.statusSink ?? cluster?.statusSink;
  return createStatusManager({ clock, pods: state.podManager, logger, metrics, ...(sink && { sink }) });
}

/** Probes containers. */
export function probeManager({ agent, common, statusManager }: Components): AgentParts['probeManager'] {
  if (agent.probeManager) return agent.probeManager;
  const runProbe = agent.parts?.runProbe;
  return createPodProbes({ statusManager, cri: agent.cri.runtime, ...common, ...(runProbe && { runProbe }) });
}

/** Syncs pods whose `activeDeadlineSeconds` have elapsed. */
export function deadlines(c: Components): AgentParts['deadlines'] {
  return createDeadlineTimers((uid) => c.handler.syncPods([uid]), c.common.clock);
}

function statusGenerator(c: Components): PodSyncerOptions['generateStatus'] {
  const { state, common, node, runtime, statusManager, probeManager, allocation, resizes, devices } = c;
  return createPodStatusGenerator({
    runtime,
    resizing: c.capabilities.resizing,
    statusManager,
    probeManager,
    podWorkers: { isPodTerminationRequested: (uid) => c.podWorkers.isPodTerminationRequested(uid) },
    allocation,
    podByUid: (uid) => state.podManager.podByUid(uid),
    resizes,
    startFailures: state.startFailures,
    hostIps: node.hostIps,
    ...(devices && { resourceHealth: devices.resourceHealth }),
    clock: common.clock,
  });
}

/** Runs the steps of a pod's sync. */
export function syncer(c: Components): AgentParts['syncer'] {
  const { host, state, common, runtime, statusManager, probeManager, cluster, monitor, volumes, allocation, deadlines, resizes } = c;
  const { podManager, startFailures, backOffs, syncSignals } = state;
  const { containerManager, dynamicResources } = c;
  return createPodSyncer({
    runtime,
    observe(uid) {
      const { podCache } = state;
      if (!(isEventedPleg(c.pleg) && c.pleg.mode() === 'evented')) return undefined;
      const revision = podCache.revision();
      return { revision, status: podCache.getNewerThan(uid, revision, c.ended.signal) };
    },
    statusManager,
    generateStatus: statusGenerator(c),
    startFailures: {
      update(uid, result) {
        for (const each of [startFailures, backOffs, resizes]) each.update(uid, result);
        if (result.results.some(isDoneResize)) void allocation.retryPendingResizes('pod_resized');
      },
    },
    podDirs: host.podDirs,
    networkError: monitor.networkError,
    volumeManager: volumes.manager,
    ...(containerManager && { cgroups: createPodCgroupSteps({ containerManager, runtime, resizing: c.capabilities.resizing, ...common }) }),
    probeManager,
    ...(dynamicResources && { unprepareDynamicResources: (pod: Pod) => dynamicResources.unprepareResources(pod, c.ended.signal) }),
    ...(cluster && {
      reconcileMirrorPod: (pod: Pod) => void cluster.mirrorPods.reconcile(pod, podManager.mirrorPodByPod(pod)),
    }),
    onSync: (pod) => cluster?.objects?.registerPod(pod),
    onContainersReset: (pod) => c.handler.syncPods([podUid(pod)], 'RestartAllContainers'),
    isRemoved: (uid) => podManager.podByUid(uid) === undefined,
    onTerminated(pod) {
      cluster?.objects?.unregisterPod(pod);
      void allocation.retryPendingResizes('pod_terminated');
    },
    onStatus: (pod) => deadlines.update(pod, statusManager.getPodStatus(podUid(pod))?.startTime),
    syncSignals,
    recorder: common.recorder,
    logger: common.logger,
  });
}

const isEventedPleg = (pleg: PodLifecycleEventGenerator): pleg is EventedPleg => 'mode' in pleg;

const isDoneResize = ({ action, error }: SyncResult) => action === 'ResizePodInPlace' && error === undefined;

/** Runs one worker for each pod. */
export function podWorkers(c: Components): AgentParts['podWorkers'] {
  const { settings, state, common, syncer, pleg, allocation, timeline } = c;
  return createPodWorkers({
    syncer,
    cache: state.podCache,
    ...common,
    workQueue: state.workQueue,
    resyncIntervalMs: settings.syncFrequencyMs,
    backOffPeriodMs: settings.backOffPeriodMs,
    requestRelist: (uid) => pleg.requestRelist(uid),
    onSynced: (uid) => {
      c.syncLoop.scheduleHousekeeping();
      timeline.synced(uid, c.podWorkers);
    },
    allocatedPod: (pod) => allocation.updatePodFromAllocation(pod),
  });
}

/** Removed pods whose cleanup is pending. */
export function removedPods(c: Components): AgentParts['removedPods'] {
  const { state, emitter, deadlines, cleanup, cluster } = c;
  return createRemovedPods({
    isObserved: (uid) => state.podCache.peek(uid) !== undefined,
    onEnded: (uid) => {
      deadlines.cancel(uid);
      cleanup.requestCollection();
    },
    onRemoved(pod) {
      cluster?.objects?.unregisterPod(pod);
      emitter.emit('removed', pod);
    },
  });
}

/** Cleans up after pods. */
export function housekeeping(c: Components): AgentParts['housekeeping'] {
  const { host, state, common, podWorkers, runtime, imageManager, cleanup, pleg, statusManager, probeManager, volumes, cluster } = c;
  const { podManager, podCache, sources } = state;
  return createHousekeeping({
    pods: () => podManager.podsAndMirrorPods(),
    allSourcesReady: sources.areAllSeen,
    podWorkers,
    runtime: {
      getPods: (all, signal) => runtime.getPods(all, signal),
      collectBackOff: () => {
        runtime.collectBackOff();
        imageManager.collectBackOff();
      },
    },
    isObserved: (uid) => podCache.peek(uid) !== undefined,
    requestCollection: () => cleanup.requestCollection(),
    observedRunning: () => (pleg.unhealthyReason() === undefined ? runningPodUids(podCache.entries()) : undefined),
    statusManager,
    podDirs: host.podDirs,
    probeManager,
    volumeManager: volumes.manager,
    containerManager: c.containerManager,
    ...(cluster && {
      deleteMirrorPod: (mirrorPod: Pod) => void cluster.mirrorPods.deleteOrphan(mirrorPod),
      reconcileMirrorPod: (pod: Pod) => void cluster.mirrorPods.reconcile(pod, podManager.mirrorPodByPod(pod)),
    }),
    retain: (known) => retain(c, known),
    logger: common.logger,
  });
}

/** Makes every part forget the pods that are not in the set. */
function retain(
  { state, common, recorder, resizes, userNamespaces, allocation, removedPods }: Components,
  known: ReadonlySet<string>,
): void {
  recorder.retain(known);
  resizes.retain(known);
  userNamespaces
    ?.retain(known)
    .catch((error) => common.logger.warn({ err: error }, 'releasing user namespaces failed; the next housekeeping retries'));
  state.backOffs.retain(known);
  allocation.removeOrphanedPods(known);
  removedPods.retain(known);
}

/** Dispatches the sync loop's events to the pod workers. */
export function handler(c: Components): AgentParts['handler'] {
  const { state, common, ready, podWorkers, runtime, statusManager, allocation, cluster, volumes, cleanup, removedPods, housekeeping } = c;
  const { clock, recorder, logger } = common;
  const { podManager, sources } = state;
  return createSyncHandler({
    pods: podManager,
    podWorkers,
    findReplaced: createReplacedStaticPods({ runtime, podWorkers, logger, isDesired: (uid) => podManager.podByUid(uid) !== undefined }),
    statusManager,
    allocation,
    onPodRejected(pod, refusal) {
      cluster?.objects?.unregisterPod(pod);
      rejectPod(pod, refusal, { recorder, statusManager });
    },
    onSourceSeen: (source) => {
      sources.add(source);
      volumes.capabilities.reconciling.podsChanged();
    },
    allSourcesReady: sources.areAllSeen,
    onContainerDied: cleanup.containerDied,
    onPodAdded(pod) {
      removedPods.delete(podUid(pod));
      // Synchronously: the volume manager may reconcile before the pod's first sync.
      if (!isMirrorPod(pod) && !isTerminalPhase(pod.status?.phase)) cluster?.objects?.registerPod(pod);
    },
    onPodRemoved: removedPods.add,
    housekeeping: async () => {
      const settled = await housekeeping();
      volumes.capabilities.reconciling.podsChanged();
      if (sources.areAllSeen()) ready.resolve();
      return settled;
    },
    now: clock.now,
    logger,
  });
}

/** Handles configuration, lifecycle events and probe results, one at a time. */
export function syncLoop({ settings, state, common, pleg, probeManager, timeline, handler, monitor }: Components): AgentParts['syncLoop'] {
  return createSyncLoop({
    config: state.podConfig.updates,
    podEvents: pleg.events,
    probeUpdates: probeManager.updates,
    workQueue: state.workQueue,
    handler: timeline.follow(handler),
    runtimeErrors: monitor.runtimeErrors,
    clock: common.clock,
    logger: common.logger,
    housekeepingPeriodMs: settings.housekeepingPeriodMs,
    idleHousekeepingPeriodMs: settings.idleHousekeepingPeriodMs,
  });
}
