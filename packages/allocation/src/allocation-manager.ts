import {
  type AllocationManager,
  type Clock,
  type EventRecorder,
  invalidOption,
  type Logger,
  noEvents,
  noMetrics,
  onAbort,
  type Pod,
  type PodAdmitResult,
  type PodCondition,
  type RetryTrigger,
  requirePositive,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
import { podReference, podResizeDetails, podUid } from '@nodeagent/api/helpers';
import { createSavedAllocations, type SavedAllocations } from './allocations.js';
import { createNodeDecisions, type NodeDecisions } from './node-decisions.js';
import type { AllocationManagerOptions } from './options.js';
import { createPendingConditions, type PendingConditions } from './pending-conditions.js';
import { type PendingResize, sortPendingResizes } from './sort-pending-resizes.js';

/** Creates an {@link AllocationManager}. Throws `InvalidOption` naming the option. */
export function createAllocationManager(options: AllocationManagerOptions): AllocationManager {
  for (const name of ['activePods', 'nodeAllocatable', 'syncPod'] as const) {
    if (typeof options[name] !== 'function') throw invalidOption(name, 'a function', options[name]);
  }
  requirePositive('retryPeriodMs', options.retryPeriodMs);
  return new PodAllocations(options);
}

/** Retry period until all sources have reported their pods. */
const maxFirstRetryMs = 30_000;

class PodAllocations implements AllocationManager {
  readonly #options: AllocationManagerOptions;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;
  readonly #logger: Logger;
  readonly #allocations: SavedAllocations;
  readonly #conditions: PendingConditions;
  readonly #decisions: NodeDecisions;
  /** UIDs of pods with a pending resize. */
  readonly #pending = new Set<string>();
  readonly #ended = new AbortController();
  #isStarted = false;
  #timer: Timer | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Callers pass it on as a callback. */
  readonly updatePodFromAllocation = (pod: Pod): Pod => this.#allocations.apply(pod);

  constructor(options: AllocationManagerOptions) {
    const { clock = systemClock, recorder = noEvents, logger = silentLogger, metrics = noMetrics } = options;
    this.#options = options;
    this.#clock = clock;
    this.#recorder = recorder;
    this.#logger = logger;
    this.#allocations = createSavedAllocations({ store: options.store, clock, logger });
    this.#conditions = createPendingConditions({ clock, recorder, metrics });
    this.#decisions = createNodeDecisions(options, this.#allocations, this.#ended.signal);
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (this.#ended.signal.aborted) return;
    onAbort(signal, () => void this.stop(), this.#ended.signal);
    await this.#allocations.load();
    this.#isStarted = true;
    this.#setTimer();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    this.#setTimer();
    await this.#last;
    await this.#allocations.stop();
  }

  addPod(pod: Pod): Promise<PodAdmitResult> {
    return this.#inTurn(async () => {
      await this.#allocations.load();
      this.#ended.signal.throwIfAborted();
      const granted = this.#allocations.apply(pod);
      const result = await this.#decisions.admit(granted, 'add');
      if (!result.admit) return result;
      if (granted !== pod) this.#conditions.restore(pod);
      this.#allocations.add(granted);
      return result;
    });
  }

  saved(): Promise<void> {
    return this.#allocations.saved();
  }

  pushPendingResize(pod: Pod): boolean {
    const uid = podUid(pod);
    if (!this.#allocations.has(uid)) return false;
    if (this.#allocations.apply(pod) === pod && this.#conditions.get(uid) === undefined) return false;
    this.#pending.add(uid);
    this.#setTimer();
    return true;
  }

  isResizeUndecided(pod: Pod): boolean {
    if (this.#allocations.apply(pod) === pod) return false;
    return this.#conditions.get(podUid(pod))?.observedGeneration !== pod.metadata?.generation;
  }

  async retryPendingResizes(trigger: RetryTrigger): Promise<void> {
    if (this.#pending.size === 0) return;
    try {
      await this.#inTurn(() => this.#retry(trigger));
    } catch (error) {
      if (!this.#ended.signal.aborted) this.#logger.error({ err: error }, 'failed to retry pending resizes');
    }
    this.#setTimer();
  }

  pendingResizes(): ReturnType<AllocationManager['pendingResizes']> {
    return this.#waiting().map(({ pod }) => {
      const { reason, message } = this.#conditions.get(podUid(pod)) ?? {};
      return { podUid: podUid(pod), ...(reason && { reason }), ...(message && { message }) };
    });
  }

  resizeConditions(uid: string): PodCondition[] {
    const condition = this.#conditions.get(uid);
    return condition ? [condition] : [];
  }

  removePod(uid: string): void {
    this.#pending.delete(uid);
    this.#conditions.delete(uid);
    this.#allocations.delete(uid);
    this.#setTimer();
  }

  removeOrphanedPods(known: ReadonlySet<string>): void {
    for (const uid of this.#pending) if (!known.has(uid)) this.#pending.delete(uid);
    this.#conditions.retain(known);
    this.#allocations.retain(known);
    this.#setTimer();
  }

  /** Serialises decisions, because each depends on the allocations of the previous one. */
  #inTurn<T>(decide: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(decide);
    this.#last = turn.catch(() => {});
    return turn;
  }

  #areSourcesReady(): boolean {
    return this.#options.allSourcesReady?.() ?? true;
  }

  #setTimer(): void {
    if (!this.#isStarted || this.#ended.signal.aborted || this.#pending.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
      return;
    }
    const { retryPeriodMs = 180_000 } = this.#options;
    this.#timer ??= this.#clock.setTimeout(
      () => {
        this.#timer = undefined;
        void this.retryPendingResizes('periodic_retry');
      },
      this.#areSourcesReady() ? retryPeriodMs : Math.min(retryPeriodMs, maxFirstRetryMs),
    );
  }

  #waiting(): PendingResize[] {
    const active = this.#options.activePods().filter((pod) => this.#pending.has(podUid(pod)));
    return sortPendingResizes(
      active.map((pod) => ({ pod, allocated: this.#allocations.apply(pod), since: this.#conditions.since(podUid(pod)) })),
    );
  }

  async #retry(trigger: RetryTrigger): Promise<void> {
    if (this.#ended.signal.aborted || !this.#areSourcesReady()) return;
    const resizes = this.#waiting();
    const active = new Set(resizes.map(({ pod }) => podUid(pod)));
    for (const uid of this.#pending) if (!active.has(uid)) this.#pending.delete(uid);
    for (const each of resizes) {
      if (!this.#pending.has(podUid(each.pod))) continue;
      if (await this.#resize(each, trigger)) this.#options.syncPod(podUid(each.pod));
    }
  }

  /**
   * Returns whether the pod must be synced. A resize that is pushed meanwhile is handled in the next turn; one of a pod that is removed
   * meanwhile is dropped.
   */
  async #resize({ pod, allocated }: PendingResize, trigger: RetryTrigger): Promise<boolean> {
    const uid = podUid(pod);
    this.#pending.delete(uid);
    if (pod === allocated) return this.#conditions.delete(uid);
    const decision = await this.#decisions.resize(pod, allocated);
    if (!this.#allocations.has(uid)) return false;
    if (!decision.fits) {
      if (decision.reason === 'Deferred') this.#pending.add(uid);
      return this.#conditions.set(pod, decision);
    }
    await this.#allocations.grant(pod);
    if (!this.#allocations.has(uid)) return false;
    this.#conditions.accept(uid, trigger);
    this.#recorder.event(podReference(pod), 'Normal', 'ResizeStarted', `Pod resize started: ${podResizeDetails(pod)}`);
    this.#options.resizeStarted?.(pod);
    return true;
  }
}
