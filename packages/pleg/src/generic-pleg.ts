import {
  type Channel,
  type Clock,
  createChannel,
  errorMessage,
  type Logger,
  type Metrics,
  noMetrics,
  type PodLifecycleEvent,
  type PodLifecycleEventGenerator,
  type Runtime,
  requirePositive,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
import { abortable } from './abortable.js';
import { relistUnhealthyReason } from './health.js';
import { keepIps } from './keep-ips.js';
import { countRunning, createPlegMetrics, type PlegMetrics, type RunningCounts } from './metrics.js';
import type { PodCacheWriter } from './pod-cache.js';
import { createPodRecords, type PodChange } from './pod-records.js';
import { createRelistRequests, type RelistRequest } from './relist-requests.js';

/** Options of {@link createGenericPleg}. */
export interface GenericPlegOptions {
  /** Where pods run. */
  runtime: Pick<Runtime, 'getPods' | 'getPod' | 'getPodStatus'>;
  /** What is kept current; see {@link createPodCache}. */
  cache: PodCacheWriter;
  /** Default: real time. */
  clock?: Clock;
  /** Events that may wait to be taken; more are dropped and counted. Default 1000. */
  channelCapacity?: number;
  /** Milliseconds from the end of one relist to the start of the next. Default 1000. */
  relistPeriodMs?: number;
  /** Milliseconds without a successful listing after which the generator is unhealthy. Default 180000. */
  relistThresholdMs?: number;
  /** Requests of {@link PodLifecycleEventGenerator.requestRelist} that may wait. Default 200. */
  relistRequestCapacity?: number;
  /** Statuses of changed pods that are asked for at once. Default 4. */
  statusConcurrency?: number;
  /** Default: silent. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
}

/** The generator, with its one step for those who bring their own loop. */
export interface GenericPleg extends PodLifecycleEventGenerator {
  /**
   * Lists all pods, asks for the status of those that changed, updates the cache, then sends events. One at a time: a call while
   * another runs follows it. Never rejects: a failed listing is logged and leaves everything as it was, a failed status is cached
   * and tried again in the next relist.
   */
  relist(signal?: AbortSignal): Promise<void>;
}

/**
 * The generic pod lifecycle event generator: lists everything once a period and compares. Kubernetes documentation: "Pod Lifecycle
 * Event Generator"; on-demand relists of one pod come between (feature gate PLEGOnDemandRelist, on in v1.36).
 */
export function createGenericPleg(options: GenericPlegOptions): GenericPleg {
  requirePositive('channelCapacity', options.channelCapacity, { integer: true });
  requirePositive('relistPeriodMs', options.relistPeriodMs);
  requirePositive('relistThresholdMs', options.relistThresholdMs);
  requirePositive('relistRequestCapacity', options.relistRequestCapacity, { integer: true });
  requirePositive('statusConcurrency', options.statusConcurrency, { integer: true });
  return new Generator(options);
}

class Generator implements GenericPleg {
  readonly events: Channel<PodLifecycleEvent>;
  readonly #runtime: GenericPlegOptions['runtime'];
  readonly #cache: GenericPlegOptions['cache'];
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: PlegMetrics;
  readonly #periodMs: number;
  readonly #thresholdMs: number;
  readonly #statusConcurrency: number;
  readonly #records = createPodRecords();
  readonly #requests: ReturnType<typeof createRelistRequests>;
  /** Calls of the runtime that have not answered yet, oldest first. */
  readonly #waitingCalls = new Set<{ name: string; since: number }>();
  /** Start of the last relist whose listing succeeded, monotonic milliseconds. */
  #lastRelist: number | undefined;
  /** Settles when the relist that was asked for last is through. */
  #tail: Promise<void> = Promise.resolve();
  #running: { controller: AbortController; loop: Promise<void> } | undefined;
  #wake: (() => void) | undefined;

  constructor(options: GenericPlegOptions) {
    this.#runtime = options.runtime;
    this.#cache = options.cache;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#metrics = createPlegMetrics(options.metrics ?? noMetrics);
    this.#periodMs = options.relistPeriodMs ?? 1000;
    this.#thresholdMs = options.relistThresholdMs ?? 180_000;
    this.#statusConcurrency = options.statusConcurrency ?? 4;
    this.events = createChannel(options.channelCapacity ?? 1000);
    this.#requests = createRelistRequests(options.relistRequestCapacity ?? 200);
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (this.#running !== undefined || signal?.aborted) return;
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const loop = this.#loop(controller.signal).finally(() => {
      signal?.removeEventListener('abort', abort);
      if (this.#running?.controller === controller) this.#running = undefined;
    });
    this.#running = { controller, loop };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    running?.controller.abort();
    await running?.loop;
  }

  unhealthyReason(): string | undefined {
    const [waitingCall] = this.#waitingCalls;
    return relistUnhealthyReason({ lastRelist: this.#lastRelist, thresholdMs: this.#thresholdMs, waitingCall }, this.#clock.monotonic());
  }

  requestRelist(podUid: string): void {
    if (this.#requests.add({ podUid, time: this.#clock.monotonic() })) this.#wake?.();
    else this.#logger.debug({ podUid }, 'too many relist requests, the pod waits for the next full relist');
  }

  requestReinspect(podUid: string): void {
    this.#records.reinspect(podUid);
  }

  relist(signal: AbortSignal = new AbortController().signal): Promise<void> {
    return this.#exclusive(() => this.#relist(signal));
  }

  async #loop(signal: AbortSignal): Promise<void> {
    let due = this.#clock.monotonic();
    while (!signal.aborted) {
      if (this.#clock.monotonic() >= due) {
        await this.relist(signal);
        due = this.#clock.monotonic() + this.#periodMs;
        continue;
      }
      const request = this.#requests.takeNewerThan(this.#lastRelist ?? Number.NEGATIVE_INFINITY);
      if (request !== undefined) await this.#exclusive(() => this.#relistPod(request, signal));
      else await this.#untilDueOrRequested(due, signal);
    }
  }

  #untilDueOrRequested(due: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel();
        signal.removeEventListener('abort', done);
        this.#wake = undefined;
        resolve();
      };
      const timer: Timer = this.#clock.setTimeout(done, due - this.#clock.monotonic());
      signal.addEventListener('abort', done, { once: true });
      this.#wake = done;
    });
  }

  #exclusive(work: () => Promise<void>): Promise<void> {
    this.#tail = this.#tail.then(work);
    return this.#tail;
  }

  async #relist(signal: AbortSignal): Promise<void> {
    const start = this.#clock.monotonic();
    if (this.#lastRelist !== undefined) this.#metrics.relistInterval.observe((start - this.#lastRelist) / 1000);
    let running: RunningCounts;
    let changes: PodChange[];
    try {
      const pods = await this.#call('getPods', signal, () => this.#runtime.getPods(true, signal));
      running = countRunning(pods);
      changes = this.#records.setAll(pods);
    } catch (error) {
      if (!signal.aborted) this.#logger.error({ error }, `cannot list pods: ${errorMessage(error)}`);
      return;
    }
    this.#lastRelist = start;
    this.#metrics.lastSeen.set(this.#clock.now() / 1000);
    this.#metrics.runningPods.set(running.pods);
    for (const [state, count] of Object.entries(running.containers)) {
      this.#metrics.runningContainers.set(count, { container_state: state });
    }

    await this.#reconcileAll(changes, start, signal);
    if (!signal.aborted) this.#cache.updateTime(start);
    this.#metrics.relistDuration.observe((this.#clock.monotonic() - start) / 1000);
  }

  async #relistPod({ podUid }: RelistRequest, signal: AbortSignal): Promise<void> {
    const start = this.#clock.monotonic();
    let change: PodChange | undefined;
    try {
      const pod = await this.#call(`getPod of pod ${podUid}`, signal, () => this.#runtime.getPod(podUid, signal));
      change = this.#records.setOne(podUid, pod);
    } catch (error) {
      if (!signal.aborted) this.#logger.error({ podUid, error }, `cannot list the pod's containers: ${errorMessage(error)}`);
      return;
    }
    if (change !== undefined) await this.#reconcile(change, start, signal);
    if (!signal.aborted) this.#cache.setObservedTime(podUid, start);
    this.#metrics.podRelistDuration.observe((this.#clock.monotonic() - start) / 1000);
  }

  /** A few at a time: a thousand changed pods must not become a thousand calls at once. */
  async #reconcileAll(changes: readonly PodChange[], time: number, signal: AbortSignal): Promise<void> {
    const rest = changes.values();
    const lane = async () => {
      for (const change of rest) await this.#reconcile(change, time, signal);
    };
    await Promise.all(Array.from({ length: Math.min(this.#statusConcurrency, changes.length) }, lane));
  }

  /** The cache first, then the events, so that whoever hears of an event finds its cause in the cache. */
  async #reconcile(change: PodChange, time: number, signal: AbortSignal): Promise<void> {
    const { podUid, current, events } = change;
    if (current === undefined) {
      this.#cache.delete(podUid);
    } else {
      try {
        const status = await this.#call(`getPodStatus of pod ${podUid}`, signal, () => this.#runtime.getPodStatus(current, signal));
        const cached = this.#cache.peek(podUid);
        this.#cache.set(podUid, keepIps(status, cached?.error === undefined ? cached?.status : undefined), undefined, time);
      } catch (error) {
        this.#records.reinspect(podUid);
        if (signal.aborted) return;
        this.#cache.set(podUid, undefined, error, time);
        this.#logger.error({ podUid, error }, `cannot get the pod's status: ${errorMessage(error)}`);
        return;
      }
    }
    this.#records.advance(change);
    if (events.length === 0) this.#send({ podUid, type: 'PodSync' });
    for (const event of events) if (event.type !== 'ContainerChanged') this.#send(event);
  }

  #send(event: PodLifecycleEvent): void {
    if (this.events.offer(event)) return;
    this.#metrics.discarded.inc();
    this.#logger.error({ ...event }, 'event channel is full, event discarded');
  }

  async #call<T>(name: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const waiting = { name, since: this.#clock.monotonic() };
    this.#waitingCalls.add(waiting);
    try {
      return await abortable(call(), signal);
    } finally {
      this.#waitingCalls.delete(waiting);
    }
  }
}
