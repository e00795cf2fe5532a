import {
  type Clock,
  checkOptionNames,
  formatTime,
  invalidOption,
  isMirrorPodOf,
  isPodConditionTrue,
  type Logger,
  type Metrics,
  noMetrics,
  type OptionNames,
  type Pod,
  type PodStatus,
  podKey,
  podUid,
  replaceOrAppendCondition,
  type StatusListener,
  type StatusManager,
  type StatusSink,
  type StatusVersions,
  silentLogger,
  systemClock,
  type VersionedPodStatus,
} from '@nodeagent/api';
import { terminatePodStatus } from '../compare/terminate.js';
import { podCondition, podConditions } from '../conditions.js';
import { findContainerStatus, recomputeReady, replaceContainerStatus } from './container-change.js';
import { nextVersion } from './next-version.js';
import type { PodLookup } from './ports.js';
import { createSinkLifecycle } from './sink-lifecycle.js';
import { terminatedContainersCounter } from './terminated-metric.js';

/** Ports and settings of {@link createStatusManager}. */
export interface StatusManagerOptions {
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now'>;
  pods: PodLookup;
  /** Writes statuses to the API server. Default: none, statuses are only cached. */
  sink?: StatusSink;
  logger?: Logger;
  metrics?: Metrics;
}

const optionNames: OptionNames<StatusManagerOptions> = { clock: true, pods: true, sink: true, logger: true, metrics: true };

/** The status manager with the read side for its sink. */
export interface VersionedStatusManager extends StatusManager, StatusVersions {}

/**
 * Creates the status manager, which stores the status that each pod reports. It keeps start and transition times, refuses invalid
 * transitions, and ignores unchanged statuses. All calls work in memory and return immediately. Returned statuses are shared; do not change
 * them.
 */
export function createStatusManager(options: StatusManagerOptions): VersionedStatusManager {
  checkOptionNames('createStatusManager', options, optionNames);
  const { clock = systemClock, pods, sink, logger = silentLogger, metrics = noMetrics } = options;
  if (typeof clock?.now !== 'function') throw invalidOption('clock', 'a clock', clock);
  for (const method of ['podByUid', 'mirrorPodByPod', 'translatePodUid'] as const) {
    if (typeof pods?.[method] !== 'function') throw invalidOption(`pods.${method}`, 'a function', pods?.[method]);
  }
  const countTerminated = terminatedContainersCounter(metrics);
  const entries = new Map<string, VersionedPodStatus>();
  const listeners = new Set<StatusListener>();

  const notify = (uid: string, status: PodStatus | undefined) => {
    for (const listener of listeners) {
      try {
        listener(uid, status);
      } catch (error) {
        logger.error({ err: error, podUID: uid }, 'status listener failed');
      }
    }
  };

  const update = (pod: Pod, newStatus: PodStatus, { force = false, finished = false } = {}) => {
    const uid = podUid(pod);
    // The status of an outdated mirror pod, whose static pod terminated while no agent ran, does not apply to this version.
    const mirror = pods.mirrorPodByPod(pod);
    const apiStatus = (mirror && isMirrorPodOf(mirror, pod) ? mirror.status : pod.status) ?? {};
    const next = nextVersion({ pod, newStatus, cached: entries.get(uid), apiStatus, force, finished, now: clock.now() });
    if (next.outcome === 'refused') {
      logger.error({ pod: podKey(pod), err: next.error }, 'status update aborted');
    }
    if (next.outcome !== 'stored') return;
    countTerminated(next.oldStatus, next.entry.status);
    entries.set(uid, next.entry);
    notify(uid, next.entry.status);
    lifecycle?.statusChanged(uid);
  };

  const forgetPodStatus = (uid: string) => {
    if (entries.delete(uid)) notify(uid, undefined);
  };

  /** The pod, its status and its container status, if all are known. */
  const lookUp = (uid: string, containerId: string, change: string) => {
    const pod = pods.podByUid(uid);
    if (pod === undefined) {
      logger.debug({ podUID: uid, containerID: containerId }, `pod has been deleted, no need to update ${change}`);
      return undefined;
    }
    const status = entries.get(podUid(pod))?.status;
    if (status === undefined) {
      logger.warn({ pod: podKey(pod), containerID: containerId }, `container ${change} changed before pod has synced`);
      return undefined;
    }
    const container = findContainerStatus(status, containerId);
    if (container === undefined) {
      logger.warn({ pod: podKey(pod), containerID: containerId }, `container ${change} changed for unknown container`);
      return undefined;
    }
    return { pod, status, container };
  };

  const manager: VersionedStatusManager = {
    getPodStatus: (uid) => entries.get(pods.translatePodUid(uid))?.status,
    setPodStatus(pod, status) {
      update(pod, status, { force: !!pod.metadata?.deletionTimestamp });
    },
    setContainerReadiness(uid, containerId, ready) {
      const found = lookUp(uid, containerId, 'readiness');
      if (found === undefined || found.container.ready === ready) return;
      const { pod, status, container } = found;
      update(pod, recomputeReady(pod, replaceContainerStatus(status, container, { ...container, ready })));
    },
    setContainerStartup(uid, containerId, startup) {
      const found = lookUp(uid, containerId, 'startup');
      if (found === undefined || found.container.started === startup) return;
      const { pod, status, container } = found;
      update(pod, replaceContainerStatus(status, container, { ...container, started: startup }));
    },
    setPodReadyToStartContainers(pod) {
      const type = podConditions.readyToStartContainers;
      const status = entries.get(podUid(pod))?.status ?? pod.status ?? {};
      if (isPodConditionTrue(status, type)) return;
      const condition = podCondition(type, true, pod.metadata?.generation);
      const ready = { ...condition, lastTransitionTime: formatTime(clock.now()) };
      manager.setPodStatus(pod, { ...status, conditions: replaceOrAppendCondition(status.conditions ?? [], ready) });
    },
    terminatePod(pod) {
      const oldStatus = entries.get(podUid(pod))?.status ?? pod.status ?? {};
      update(pod, terminatePodStatus(pod, oldStatus), { force: true, finished: true });
    },
    removeOrphanedStatuses(known) {
      for (const uid of entries.keys()) if (!known.has(uid)) forgetPodStatus(uid);
    },
    versionedStatus: (uid) => entries.get(uid),
    versionedStatuses: () => entries.entries(),
    forgetPodStatus,
    onStatus(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    async start(signal) {
      await lifecycle?.start(signal);
    },
    async stop() {
      await lifecycle?.stop();
    },
  };
  const lifecycle = sink && createSinkLifecycle(sink, manager, logger);
  return manager;
}
