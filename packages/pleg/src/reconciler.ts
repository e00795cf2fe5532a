import {
  abortable,
  type Channel,
  type Clock,
  createChannel,
  errorMessage,
  type InspectableRuntime,
  type Logger,
  type Metrics,
  type PodCacheWriter,
  type PodLifecycleEvent,
  type PodRuntimeStatus,
  type Runtime,
  type RuntimeChange,
  type RuntimePod,
} from '@nodeagent/api';
import { keepIps } from './keep-ips.js';
import { countRunning, createPlegMetrics, type PlegMetrics } from './metrics.js';
import { createPodRecords, type PodChange } from './pod-records.js';

/** The runtime as the generators use it. The evented one reads single containers if the runtime reports its changes. */
export type PlegRuntime = Pick<Runtime, 'getPods' | 'getPod' | 'getPodStatus'> & Partial<InspectableRuntime>;

/** Options of {@link createReconciler}, with the meaning of the generators' options. */
export interface PlegReconcilerOptions {
  runtime: PlegRuntime;
  cache: PodCacheWriter;
  clock: Clock;
  channelCapacity: number;
  statusConcurrency: number;
  logger: Logger;
  metrics: Metrics;
}

/**
 * The part that both generators share: query the runtime, compute the changes, update the cache, then send events. It has no timer. A full
 * relist must not overlap with another relist or inspection, nor may two inspections of the same pod overlap.
 */
export interface PlegReconciler {
  readonly events: Channel<PodLifecycleEvent>;
  readonly records: ReturnType<typeof createPodRecords>;
  /** Start of the last relist whose listing succeeded, monotonic milliseconds. */
  readonly lastRelist: number | undefined;
  /** The cache revision at the start of that relist; minus infinity before the first. */
  readonly lastRelistRevision: number;
  /** Error message of the last listing; undefined if it succeeded. */
  readonly lastError: string | undefined;
  /** The longest running runtime call. */
  waitingCall(): { name: string; since: number } | undefined;
  /**
   * Relists all pods. `onListed` gets the listing before the comparison. Resolves to the UIDs of the pods whose status call failed, or to
   * undefined if the listing failed. Never rejects.
   */
  relist(signal: AbortSignal, onListed?: (pods: readonly RuntimePod[]) => void): Promise<readonly string[] | undefined>;
  /** Updates the gauges of running pods and containers. */
  reportRunning(pods: Iterable<RuntimePod>): void;
  /** Inspects one pod; false if that failed. Never rejects. */
  inspect(podUid: string, signal: AbortSignal): Promise<boolean>;
  /** As `inspect`, but reads only what `changes` names. For pods that {@link canInspectChanges} accepts. */
  inspectChanges(podUid: string, changes: readonly RuntimeChange[], signal: AbortSignal): Promise<boolean>;
  /** Whether the runtime can read these containers and sandboxes alone, and the rest of the pod is known. */
  canInspectChanges(podUid: string, changes: readonly RuntimeChange[]): boolean;
}

export function createReconciler(options: PlegReconcilerOptions): PlegReconciler {
  return new PodReconciler(options);
}

class PodReconciler implements PlegReconciler {
  readonly events: Channel<PodLifecycleEvent>;
  readonly records = createPodRecords();
  lastRelist: number | undefined;
  lastRelistRevision = Number.NEGATIVE_INFINITY;
  lastError: string | undefined;
  readonly #options: PlegReconcilerOptions;
  readonly #metrics: PlegMetrics;
  /** Runtime calls in progress, oldest first. */
  readonly #waitingCalls = new Set<{ name: string; since: number }>();

  constructor(options: PlegReconcilerOptions) {
    this.#options = options;
    this.#metrics = createPlegMetrics(options.metrics);
    this.events = createChannel(options.channelCapacity);
  }

  waitingCall(): { name: string; since: number } | undefined {
    const [oldest] = this.#waitingCalls;
    return oldest;
  }

  async relist(signal: AbortSignal, onListed?: (pods: readonly RuntimePod[]) => void): Promise<readonly string[] | undefined> {
    const { runtime, cache, clock, logger } = this.#options;
    const start = clock.monotonic();
    const revision = cache.revision();
    if (this.lastRelist !== undefined) this.#metrics.relistInterval.observe((start - this.lastRelist) / 1000);
    let pods: RuntimePod[];
    let changes: PodChange[];
    try {
      pods = await this.#call('getPods', signal, () => runtime.getPods(true, signal));
      onListed?.(pods);
      changes = this.records.setAll(pods);
    } catch (error) {
      this.lastError = errorMessage(error);
      if (!signal.aborted) logger.error({ err: error }, 'cannot list pods');
      return undefined;
    }
    this.lastRelist = start;
    this.lastRelistRevision = revision;
    this.lastError = undefined;
    this.#metrics.lastSeen.set(clock.now() / 1000);
    this.reportRunning(pods);

    const failed = await this.#reconcileAll(changes, revision, signal);
    if (!signal.aborted) cache.updateTime(revision);
    this.#metrics.relistDuration.observe((clock.monotonic() - start) / 1000);
    return failed;
  }

  async inspect(podUid: string, signal: AbortSignal): Promise<boolean> {
    const { runtime, cache, clock, logger } = this.#options;
    const start = clock.monotonic();
    const revision = cache.revision();
    let change: PodChange | undefined;
    try {
      const pod = await this.#call(`getPod of pod ${podUid}`, signal, () => runtime.getPod(podUid, signal));
      change = this.records.setOne(podUid, pod);
    } catch (error) {
      if (!signal.aborted) logger.error({ podUID: podUid, err: error }, "cannot list the pod's containers");
      return false;
    }
    const reconciled = change === undefined || (await this.#reconcile(change, revision, signal));
    if (!signal.aborted) cache.setObservedTime(podUid, revision);
    this.#metrics.podRelistDuration.observe((clock.monotonic() - start) / 1000);
    return reconciled;
  }

  canInspectChanges(podUid: string, changes: readonly RuntimeChange[]): boolean {
    if (this.#options.runtime.inspectChanges === undefined) return false;
    const pod = this.records.current(podUid);
    const cached = this.#options.cache.peek(podUid);
    if (pod !== undefined && (cached?.status === undefined || cached.error !== undefined)) return false;
    const isKnown = (id: string | undefined) => [...(pod?.containers ?? []), ...(pod?.sandboxes ?? [])].some((known) => known.id === id);
    return changes.every(({ id, podSandboxId, removed }) => removed || podSandboxId !== undefined || isKnown(id));
  }

  async inspectChanges(podUid: string, changes: readonly RuntimeChange[], signal: AbortSignal): Promise<boolean> {
    const { runtime, cache, clock, logger } = this.#options;
    const start = clock.monotonic();
    const revision = cache.revision();
    const known = this.records.current(podUid) && cache.peek(podUid)?.status;
    try {
      const read = async () => runtime.inspectChanges?.(podUid, known, changes, signal);
      const found = await this.#call(`inspectChanges of pod ${podUid}`, signal, read);
      const change = this.records.setOne(podUid, found?.pod);
      if (change !== undefined) this.#publish(change, found?.status, revision);
    } catch (error) {
      if (!signal.aborted) logger.error({ podUID: podUid, err: error }, "cannot read the pod's changed containers");
      return false;
    }
    cache.setObservedTime(podUid, revision);
    this.#metrics.podRelistDuration.observe((clock.monotonic() - start) / 1000);
    return true;
  }

  reportRunning(pods: Iterable<RuntimePod>): void {
    const running = countRunning(pods);
    this.#metrics.runningPods.set(running.pods);
    for (const [state, count] of Object.entries(running.containers)) {
      this.#metrics.runningContainers.set(count, { container_state: state });
    }
  }

  /** Limits concurrency, so that a thousand changed pods do not cause a thousand concurrent calls. */
  async #reconcileAll(changes: readonly PodChange[], revision: number, signal: AbortSignal): Promise<string[]> {
    const failed: string[] = [];
    const rest = changes.values();
    const lane = async () => {
      for (const change of rest) if (!(await this.#reconcile(change, revision, signal))) failed.push(change.podUid);
    };
    await Promise.all(Array.from({ length: Math.min(this.#options.statusConcurrency, changes.length) }, lane));
    return failed;
  }

  /** Reads the pod's status and publishes it. False if that failed. */
  async #reconcile(change: PodChange, revision: number, signal: AbortSignal): Promise<boolean> {
    const { runtime, cache, logger } = this.#options;
    const { podUid, current } = change;
    try {
      const status = current && (await this.#call(`getPodStatus of pod ${podUid}`, signal, () => runtime.getPodStatus(current, signal)));
      this.#publish(change, status, revision);
      return true;
    } catch (error) {
      this.records.reinspect(podUid);
      if (signal.aborted) return false;
      cache.set(podUid, undefined, error, revision);
      logger.error({ podUID: podUid, err: error }, "cannot get the pod's status");
      return false;
    }
  }

  /** Updates the cache before it sends the events, so that the receiver of an event finds its cause in the cache. */
  #publish(change: PodChange, status: PodRuntimeStatus | undefined, revision: number): void {
    const { cache } = this.#options;
    const { podUid, events } = change;
    if (status === undefined) {
      cache.delete(podUid);
    } else {
      const cached = cache.peek(podUid);
      cache.set(podUid, keepIps(status, cached?.error === undefined ? cached?.status : undefined), undefined, revision);
    }
    this.records.advance(change);
    if (events.length === 0) this.#send({ podUid, type: 'PodSync' });
    for (const event of events) if (event.type !== 'ContainerChanged') this.#send(event);
  }

  #send(event: PodLifecycleEvent): void {
    if (this.events.offer(event)) return;
    this.#metrics.discarded.inc();
    this.#options.logger.error(
      { podUID: event.podUid, type: event.type, containerID: event.containerId },
      'event channel is full, event discarded',
    );
  }

  async #call<T>(name: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const waiting = { name, since: this.#options.clock.monotonic() };
    this.#waitingCalls.add(waiting);
    try {
      return await abortable(call(), signal);
    } finally {
      this.#waitingCalls.delete(waiting);
    }
  }
}
