import {
  type Clock,
  invalidOption,
  type Logger,
  type Metrics,
  noMetrics,
  type Pod,
  type PodStatus,
  type StatusListener,
  type StatusManager,
  type StatusSink,
  type StatusVersions,
  silentLogger,
  systemClock,
  type VersionedPodStatus,
} from '@nodeagent/api';
import { formatTime, isMirrorPodOf, isPodConditionTrue, podKey, podUid, replaceOrAppendCondition } from '@nodeagent/api/helpers';
import { terminatePodStatus } from '../compare/terminate.js';
import { podCondition, podConditions } from '../conditions.js';
import { findContainerStatus, recomputeReady, replaceContainerStatus } from './container-change.js';
import { nextVersion } from './next-version.js';
import type { PodLookup } from './ports.js';
import { createSinkLifecycle, type SinkLifecycle } from './sink-lifecycle.js';
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

/** The status manager with the read side for its sink. */
export interface VersionedStatusManager extends StatusManager, StatusVersions {}

/**
 * Creates the status manager, which stores the status that each pod reports. It keeps start and transition times, refuses invalid
 * transitions, and ignores unchanged statuses. All calls work in memory and return immediately. Returned statuses are shared; do not change
 * them.
 */
export function createStatusManager(options: StatusManagerOptions): VersionedStatusManager {
  const { clock = systemClock, pods } = options;
  if (typeof clock?.now !== 'function') throw invalidOption('clock', 'a clock', clock);
  for (const method of ['podByUid', 'mirrorPodByPod', 'translatePodUid'] as const) {
    if (typeof pods?.[method] !== 'function') throw invalidOption(`pods.${method}`, 'a function', pods?.[method]);
  }
  return new PodStatuses(options);
}

class PodStatuses implements VersionedStatusManager {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #pods: PodLookup;
  readonly #logger: Logger;
  readonly #countTerminated;
  readonly #sink: SinkLifecycle | undefined;
  readonly #entries = new Map<string, VersionedPodStatus>();
  readonly #listeners = new Set<StatusListener>();

  constructor({ clock = systemClock, pods, sink, logger = silentLogger, metrics = noMetrics }: StatusManagerOptions) {
    this.#clock = clock;
    this.#pods = pods;
    this.#logger = logger;
    this.#countTerminated = terminatedContainersCounter(metrics);
    this.#sink = sink && createSinkLifecycle(sink, this, logger);
  }

  async start(signal?: AbortSignal): Promise<void> {
    await this.#sink?.start(signal);
  }

  async stop(): Promise<void> {
    await this.#sink?.stop();
  }

  getPodStatus(uid: string): PodStatus | undefined {
    return this.#entries.get(this.#pods.translatePodUid(uid))?.status;
  }

  versionedStatus(uid: string): VersionedPodStatus | undefined {
    return this.#entries.get(uid);
  }

  versionedStatuses(): IterableIterator<[string, VersionedPodStatus]> {
    return this.#entries.entries();
  }

  setPodStatus(pod: Pod, status: PodStatus): void {
    this.#update(pod, status, { force: !!pod.metadata?.deletionTimestamp });
  }

  setContainerReadiness(uid: string, containerId: string, ready: boolean): void {
    const found = this.#find(uid, containerId, 'readiness');
    if (found === undefined || found.container.ready === ready) return;
    const { pod, status, container } = found;
    this.#update(pod, recomputeReady(pod, replaceContainerStatus(status, container, { ...container, ready })));
  }

  setContainerStartup(uid: string, containerId: string, startup: boolean): void {
    const found = this.#find(uid, containerId, 'startup');
    if (found === undefined || found.container.started === startup) return;
    const { pod, status, container } = found;
    this.#update(pod, replaceContainerStatus(status, container, { ...container, started: startup }));
  }

  setPodReadyToStartContainers(pod: Pod): void {
    const type = podConditions.readyToStartContainers;
    const status = this.#lastStatus(pod);
    if (isPodConditionTrue(status, type)) return;
    const condition = podCondition(type, true, pod.metadata?.generation);
    const ready = { ...condition, lastTransitionTime: formatTime(this.#clock.now()) };
    this.setPodStatus(pod, { ...status, conditions: replaceOrAppendCondition(status.conditions ?? [], ready) });
  }

  terminatePod(pod: Pod): void {
    this.#update(pod, terminatePodStatus(pod, this.#lastStatus(pod)), { force: true, finished: true });
  }

  removeOrphanedStatuses(known: ReadonlySet<string>): void {
    for (const uid of this.#entries.keys()) if (!known.has(uid)) this.forgetPodStatus(uid);
  }

  forgetPodStatus(uid: string): void {
    if (this.#entries.delete(uid)) this.#notify(uid, undefined);
  }

  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #lastStatus(pod: Pod): PodStatus {
    return this.#entries.get(podUid(pod))?.status ?? pod.status ?? {};
  }

  #update(pod: Pod, newStatus: PodStatus, { force = false, finished = false } = {}): void {
    const uid = podUid(pod);
    // The status of an outdated mirror pod, whose static pod terminated while no agent ran, does not apply to this version.
    const mirror = this.#pods.mirrorPodByPod(pod);
    const apiStatus = (mirror && isMirrorPodOf(mirror, pod) ? mirror.status : pod.status) ?? {};
    const cached = this.#entries.get(uid);
    const next = nextVersion({ pod, newStatus, cached, apiStatus, force, finished, now: this.#clock.now() });
    if (next.outcome === 'refused') {
      this.#logger.error({ pod: podKey(pod), err: next.error }, 'status update aborted');
    }
    if (next.outcome !== 'stored') return;
    this.#countTerminated(next.oldStatus, next.entry.status);
    this.#entries.set(uid, next.entry);
    this.#notify(uid, next.entry.status);
    this.#sink?.statusChanged(uid);
  }

  #notify(uid: string, status: PodStatus | undefined): void {
    for (const listener of this.#listeners) {
      try {
        listener(uid, status);
      } catch (error) {
        this.#logger.error({ err: error, podUID: uid }, 'status listener failed');
      }
    }
  }

  /** The pod, its status and its container status, if all are known. */
  #find(uid: string, containerId: string, change: string) {
    const pod = this.#pods.podByUid(uid);
    if (pod === undefined) {
      this.#logger.debug({ podUID: uid, containerID: containerId }, `pod has been deleted, no need to update ${change}`);
      return undefined;
    }
    const status = this.#entries.get(podUid(pod))?.status;
    if (status === undefined) {
      this.#logger.warn({ pod: podKey(pod), containerID: containerId }, `container ${change} changed before pod has synced`);
      return undefined;
    }
    const container = findContainerStatus(status, containerId);
    if (container === undefined) {
      this.#logger.warn({ pod: podKey(pod), containerID: containerId }, `container ${change} changed for unknown container`);
      return undefined;
    }
    return { pod, status, container };
  }
}
