import {
  type Channel,
  type Clock,
  createRunLoop,
  type Logger,
  type Metrics,
  noMetrics,
  type PodCacheWriter,
  type PodLifecycleEvent,
  type PodLifecycleEventGenerator,
  requirePositive,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { completeSettings, type GivenSettings } from '@nodeagent/api/helpers';
import { relistUnhealthyReason } from './health.js';
import { createInterruptibleWait } from './interruptible-wait.js';
import { createPodCache } from './pod-cache.js';
import { createReconciler, type PlegReconciler, type PlegRuntime } from './reconciler.js';
import { createRelistRequests } from './relist-requests.js';
import { plegSettings } from './settings.js';

/** Options of {@link createGenericPleg}. */
export interface GenericPlegOptions extends GivenSettings<typeof plegSettings> {
  /** The container runtime. */
  runtime: PlegRuntime;
  /** The status cache to update, for its readers. Default: a {@link createPodCache} without readers. */
  cache?: PodCacheWriter;
  /** Clock for all timers and durations. Default: the system clock. */
  clock?: Clock;
  /** Capacity of the event channel; further events are dropped and counted. Default 1000. */
  channelCapacity?: number;
  /** Maximum number of pending {@link PodLifecycleEventGenerator.requestRelist} requests. Default 200. */
  relistRequestCapacity?: number;
  /** Maximum number of concurrent status calls for changed pods. Default 4. */
  statusConcurrency?: number;
  /** Default: silent. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
}

/**
 * The generic pod lifecycle event generator: lists all pods once per period and compares the result with the previous one. Kubernetes
 * documentation: "Pod Lifecycle Event Generator". It also relists single pods on demand (feature gate PLEGOnDemandRelist, on in v1.36).
 */
export function createGenericPleg(options: GenericPlegOptions): PodLifecycleEventGenerator {
  requirePositive('channelCapacity', options.channelCapacity, { integer: true });
  requirePositive('relistRequestCapacity', options.relistRequestCapacity, { integer: true });
  requirePositive('statusConcurrency', options.statusConcurrency, { integer: true });
  return new Generator({ ...options, cache: options.cache ?? createPodCache() });
}

class Generator implements PodLifecycleEventGenerator {
  readonly events: Channel<PodLifecycleEvent>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #periodMs: number;
  readonly #thresholdMs: number;
  readonly #cache: PodCacheWriter;
  readonly #reconciler: PlegReconciler;
  readonly #requests: ReturnType<typeof createRelistRequests>;
  readonly #wait: ReturnType<typeof createInterruptibleWait>;
  readonly #running = createRunLoop((signal) => this.#loop(signal));
  /** Settles when the last requested relist has ended. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: GenericPlegOptions & { cache: PodCacheWriter }) {
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    const { relistPeriodMs, relistThresholdMs } = completeSettings(plegSettings, options, '');
    this.#periodMs = relistPeriodMs;
    this.#thresholdMs = relistThresholdMs;
    this.#cache = options.cache;
    this.#reconciler = createReconciler({
      runtime: options.runtime,
      cache: options.cache,
      clock: this.#clock,
      channelCapacity: options.channelCapacity ?? 1000,
      statusConcurrency: options.statusConcurrency ?? 4,
      logger: this.#logger,
      metrics: options.metrics ?? noMetrics,
    });
    this.events = this.#reconciler.events;
    this.#requests = createRelistRequests(options.relistRequestCapacity ?? 200);
    this.#wait = createInterruptibleWait(this.#clock);
  }

  start(signal?: AbortSignal): Promise<void> {
    return this.#running.start(signal);
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }

  unhealthyReason(): string | undefined {
    const { lastRelist, lastError } = this.#reconciler;
    const health = { lastRelist, lastError, thresholdMs: this.#thresholdMs, waitingCall: this.#reconciler.waitingCall() };
    return relistUnhealthyReason(health, this.#clock.monotonic());
  }

  requestRelist(podUid: string): void {
    if (this.#requests.add({ podUid, revision: this.#cache.revision() })) this.#wait.interrupt();
    else this.#logger.debug({ podUID: podUid }, 'too many relist requests, the pod waits for the next full relist');
  }

  requestReinspect(podUid: string): void {
    this.#reconciler.records.reinspect(podUid);
  }

  async relist(signal: AbortSignal = new AbortController().signal): Promise<void> {
    await this.#exclusive(() => this.#reconciler.relist(signal));
  }

  async #loop(signal: AbortSignal): Promise<void> {
    let due = this.#clock.monotonic();
    while (!signal.aborted) {
      if (this.#clock.monotonic() >= due) {
        await this.relist(signal);
        due = this.#clock.monotonic() + this.#periodMs;
        continue;
      }
      const request = this.#requests.takeNewerThan(this.#reconciler.lastRelistRevision);
      if (request !== undefined) await this.#exclusive(() => this.#reconciler.inspect(request.podUid, signal));
      else await this.#wait.until(due, signal);
    }
  }

  #exclusive(work: () => Promise<unknown>): Promise<unknown> {
    this.#tail = this.#tail.then(work);
    return this.#tail;
  }
}
