import {
  abortable,
  type Channel,
  type Clock,
  createRunLoop,
  type Logger,
  noMetrics,
  type PodCacheWriter,
  type PodLifecycleEvent,
  type PodLifecycleEventGenerator,
  type RuntimeChange,
  requirePositive,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { completeSettings } from '@nodeagent/api/helpers';
import { type ContainerEventLike, type ContainerEventSource, eventPodUid, eventStage, isNewStage } from './container-event.js';
import { changesPod, createDriftWatch, findDrift } from './drift.js';
import { followEvents, type StreamEnd, shouldFallBack } from './event-connection.js';
import type { GenericPlegOptions } from './generic-pleg.js';
import { relistUnhealthyReason } from './health.js';
import { createInterruptibleWait } from './interruptible-wait.js';
import { createEventedPlegMetrics, type EventedPlegMetrics } from './metrics.js';
import { createPendingInspections, type PendingInspection, type PendingInspections } from './pending-inspections.js';
import { createPodCache } from './pod-cache.js';
import { createReconciler, type PlegReconciler } from './reconciler.js';
import { nextRelistDelay } from './relist-delay.js';
import { plegSettings } from './settings.js';

/** Options of {@link createEventedPleg}. The options of the generic generator apply while there is no event stream. */
export interface EventedPlegOptions extends Omit<GenericPlegOptions, 'relistRequestCapacity'> {
  /** The runtime's event stream. */
  containerEvents: ContainerEventSource;
  /** `auto`: after "not implemented", reconnect only after the runtime was unreachable; `on`: keep retrying. Default `auto`. */
  evented?: 'auto' | 'on';
  /** Longest interval between full relists while events arrive, in milliseconds. Default 300000. */
  eventedRelistPeriodMs?: number;
  /** `relistThresholdMs` while events arrive. Default 600000. */
  eventedRelistThresholdMs?: number;
  /** Milliseconds by which an event may lag behind a relist that shows its change before it counts as lost. Default 5000. */
  driftGraceMs?: number;
  /** Maximum number of pods that wait for an inspection; with more, the generator relists all pods instead. Default 10000. */
  maxPendingInspections?: number;
}

/** The generator and its current mode. */
export interface EventedPleg extends PodLifecycleEventGenerator {
  /** `evented` while an event stream works, `generic` while the generator relists every second instead. */
  mode(): 'evented' | 'generic';
}

/**
 * The evented pod lifecycle event generator (KEP-3386): the runtime's events determine which pod to inspect, so that an idle node causes no
 * load. The generator does not use the contents of events, because CRI does not specify when they were read; each event triggers an
 * inspection of its pod. Every stream starts with a full relist, and slow relists continue. A change that a relist finds without an event
 * is applied, counted in `nodeagent_pleg_drift_total`, makes relists frequent again and reopens the stream.
 *
 * A reader that waits in the cache triggers an inspection of its pod instead of waiting for the slow relist. While it runs, the generator
 * sets the cache's `onWaiting`.
 */
export function createEventedPleg(options: EventedPlegOptions): EventedPleg {
  for (const field of ['channelCapacity', 'statusConcurrency', 'maxPendingInspections'] as const) {
    requirePositive(field, options[field], { integer: true });
  }
  for (const field of ['eventedRelistPeriodMs', 'eventedRelistThresholdMs', 'driftGraceMs'] as const) {
    requirePositive(field, options[field]);
  }
  return new Generator({ ...options, cache: options.cache ?? createPodCache() });
}

/** State of the open stream. */
interface Connection {
  reopen(): void;
  /** A relist has started since the stream was opened. */
  relisted: boolean;
}

class Generator implements EventedPleg {
  readonly events: Channel<PodLifecycleEvent>;
  readonly #options: EventedPlegOptions & { cache: PodCacheWriter };
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: EventedPlegMetrics;
  readonly #concurrency: number;
  /** The runtime reports its changes and reads single containers. */
  readonly #isInspectable: boolean;
  readonly #reconciler: PlegReconciler;
  readonly #pending: PendingInspections;
  readonly #drift: ReturnType<typeof createDriftWatch>;
  readonly #wait: ReturnType<typeof createInterruptibleWait>;
  readonly #periodMs: number;
  readonly #relistThresholdMs: number;
  readonly #running = createRunLoop((signal) => this.#run(signal));
  /** Inspections in progress, by pod UID, with the cache revision taken before the start. */
  readonly #inspecting = new Map<string, { since: number; done: Promise<void> }>();
  /** For each pod with a waiting reader: the revision after which an inspection must start to satisfy it. */
  readonly #waitingRevisions = new Map<string, number>();
  #connection: Connection | undefined;
  /** Start of the fallback to relisting; undefined while the stream works. */
  #fellBackAt: number | undefined;
  /** The last relist ran while a stream was open, so events have kept its result current. */
  #isKeptByEvents = false;
  #relistsWithoutDrift = 0;
  /** Events were dropped since the last relist because the queue was full, so its differences may have been reported. */
  #hasDroppedEvents = false;
  /** Due time of the next full relist, in monotonic milliseconds. */
  #relistDue = 0;
  /** The cache revision taken before the full relist in progress. */
  #relistSince: number | undefined;
  /** Callers of `relist` that wait for the next full relist. */
  readonly #relistWaiters: (() => void)[] = [];
  /** Settles when the last relist that was requested before the start has ended. */
  #tail: Promise<void> = Promise.resolve();
  /** Inspections have run since the gauges were last updated. */
  #hasUnreportedChanges = false;
  /** Waits until a runtime without event support was unreachable and is back, as after an upgrade. */
  #runtimeBack: { wasAway: boolean; resolve(): void } | undefined;

  constructor(options: EventedPlegOptions & { cache: PodCacheWriter }) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#metrics = createEventedPlegMetrics(options.metrics ?? noMetrics);
    this.#concurrency = options.statusConcurrency ?? 4;
    const { relistPeriodMs, relistThresholdMs } = completeSettings(plegSettings, options, '');
    this.#periodMs = relistPeriodMs;
    this.#relistThresholdMs = relistThresholdMs;
    this.#isInspectable = options.runtime.inspectChanges !== undefined;
    this.#reconciler = createReconciler({
      runtime: options.runtime,
      cache: options.cache,
      clock: this.#clock,
      channelCapacity: options.channelCapacity ?? 1_000,
      statusConcurrency: this.#concurrency,
      logger: this.#logger,
      metrics: options.metrics ?? noMetrics,
    });
    this.events = this.#reconciler.events;
    this.#pending = createPendingInspections(options.maxPendingInspections ?? 10_000);
    this.#drift = createDriftWatch(options.driftGraceMs ?? 5_000);
    this.#wait = createInterruptibleWait(this.#clock);
  }

  start(signal?: AbortSignal): Promise<void> {
    return this.#running.start(signal);
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }

  mode(): 'evented' | 'generic' {
    return this.#connection !== undefined && this.#fellBackAt === undefined ? 'evented' : 'generic';
  }

  unhealthyReason(): string | undefined {
    const { eventedRelistThresholdMs = 600_000 } = this.#options;
    const { lastRelist, lastError } = this.#reconciler;
    const now = this.#clock.monotonic();
    const fellBackAt = this.#fellBackAt;
    const thresholdMs = fellBackAt === undefined ? eventedRelistThresholdMs : this.#relistThresholdMs;
    // After a fallback the shorter threshold counts from the fallback on.
    if (lastRelist !== undefined && fellBackAt !== undefined && now - fellBackAt <= thresholdMs) return undefined;
    return relistUnhealthyReason({ lastRelist, thresholdMs, waitingCall: this.#reconciler.waitingCall(), lastError }, now);
  }

  requestRelist(podUid: string): void {
    this.#requestFresh(podUid);
  }

  requestReinspect(podUid: string): void {
    this.#reconciler.records.reinspect(podUid);
    if (this.mode() === 'evented') this.#request(podUid, this.#clock.monotonic());
  }

  async relist(signal: AbortSignal = new AbortController().signal): Promise<void> {
    if (!this.#running.isRunning) {
      this.#tail = this.#tail.then(() => this.#relist(signal));
      return this.#tail;
    }
    const through = new Promise<void>((resolve) => this.#relistWaiters.push(resolve));
    this.#relistBy(this.#clock.monotonic());
    await abortable(through, signal).catch(() => {});
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { cache, containerEvents, evented, runtime } = this.#options;
    this.#relistDue = this.#clock.monotonic();
    cache.onWaiting = (podUid, revision) => this.#onReaderWaiting(podUid, revision);
    if (this.#isInspectable) runtime.onChange = (change) => this.#onChange(change);
    const listener = {
      opened: (reopen: () => void) => this.#onOpened(reopen),
      event: (event: ContainerEventLike) => this.#onEvent(event),
      proven: () => this.#onProven(),
      closed: (end: StreamEnd) => this.#onClosed(end),
      untilRuntimeRestarted: (until: AbortSignal) => this.#untilRuntimeRestarted(until),
    };
    await Promise.all([
      followEvents({ containerEvents, clock: this.#clock, retryUnimplemented: evented === 'on', listener }, signal),
      this.#work(signal),
    ]);
    await Promise.all([...this.#inspecting.values()].map(({ done }) => done));
    cache.onWaiting = undefined;
    if (this.#isInspectable) runtime.onChange = undefined;
    this.#waitingRevisions.clear();
    for (const answer of this.#relistWaiters.splice(0)) answer();
    this.#connection = undefined;
    this.#isKeptByEvents = false;
  }

  /** Runs full relists, inspections and drift checks when they are due. A full relist runs alone. */
  async #work(signal: AbortSignal): Promise<void> {
    const busy = (podUid: string) => this.#inspecting.has(podUid);
    while (!signal.aborted) {
      const now = this.#clock.monotonic();
      this.#confirmDrift(now);
      const relistIsDue = now >= this.#relistDue;
      if (relistIsDue && this.#inspecting.size === 0) {
        await this.#relist(signal);
        continue;
      }
      const hasRoom = !relistIsDue && this.#inspecting.size < this.#concurrency;
      const inspection = hasRoom ? this.#pending.take(now, busy) : undefined;
      if (inspection !== undefined) {
        this.#inspect(inspection, signal);
        continue;
      }
      this.#reportWhenIdle();
      const dues = [this.#drift.nextDue(), relistIsDue ? never : this.#relistDue, hasRoom ? this.#pending.nextDue(busy) : never];
      await this.#wait.until(Math.min(...dues), signal);
    }
  }

  async #relist(signal: AbortSignal): Promise<void> {
    const callers = this.#relistWaiters.splice(0);
    await this.#relistNow(signal);
    for (const answer of callers) answer();
  }

  async #relistNow(signal: AbortSignal): Promise<void> {
    const since = this.#options.cache.revision();
    const connection = this.#connection;
    const foundAt = connection?.relisted ? 'relist' : 'reconnect';
    const compares = this.#isKeptByEvents && connection !== undefined && !this.#hasDroppedEvents;
    const covered = this.#pending.takeAll();
    this.#hasDroppedEvents = false;
    this.#relistSince = since;
    this.#relistDue = never;
    this.#drift.begin(covered.flatMap(({ reported }) => [...reported]));
    const failed = await this.#reconciler.relist(signal, (pods) => {
      if (compares) this.#drift.suspect(findDrift(this.#reconciler.records.pods(), pods), foundAt, this.#clock.monotonic());
    });
    this.#drift.end();
    this.#relistSince = undefined;
    this.#hasUnreportedChanges = false;
    if (signal.aborted) return;

    const end = this.#clock.monotonic();
    const retry = end + this.#periodMs;
    if (failed === undefined) {
      for (const inspection of covered) this.#pending.putBack(inspection, retry);
      this.#relistBy(retry);
      if (this.#runtimeBack) this.#runtimeBack.wasAway = true;
      return;
    }
    for (const podUid of failed) this.#request(podUid, retry);
    for (const podUid of [...this.#waitingRevisions.keys()]) this.#requestAgain(podUid, since);
    if (connection !== undefined) connection.relisted = true;
    this.#isKeptByEvents = connection !== undefined && connection === this.#connection;
    const input = { following: this.mode() === 'evented', relistsWithoutDrift: this.#relistsWithoutDrift++ };
    const { eventedRelistPeriodMs = 300_000 } = this.#options;
    this.#relistBy(end + nextRelistDelay({ ...input, genericPeriodMs: this.#periodMs, eventedPeriodMs: eventedRelistPeriodMs }));
    if (this.#runtimeBack?.wasAway) this.#runtimeBack.resolve();
  }

  #inspect(inspection: PendingInspection, signal: AbortSignal): void {
    const { podUid, isRequested, reported } = inspection;
    const changes = this.#changesOf(inspection);
    if (!isRequested && changes.length === 0) return;
    const since = this.#options.cache.revision();
    const areChangesEnough = !isRequested && this.#isCurrent() && this.#reconciler.canInspectChanges(podUid, changes);
    const inspecting = areChangesEnough
      ? this.#reconciler.inspectChanges(podUid, changes, signal)
      : this.#reconciler.inspect(podUid, signal);
    const done = inspecting.then((ok) => {
      this.#inspecting.delete(podUid);
      this.#hasUnreportedChanges = true;
      this.#requestAgain(podUid, since);
      if (!ok && !this.#pending.putBack(inspection, this.#clock.monotonic() + this.#periodMs)) this.#scheduleRelist();
      // The full listing may have the pod: another client may have created it without the labels that the query for one pod uses.
      const isReportedToExist = [...reported.values()].some((stage) => stage < 3);
      if (ok && isReportedToExist && this.#reconciler.records.current(podUid) === undefined) this.#scheduleRelist();
      this.#wait.interrupt();
    });
    this.#inspecting.set(podUid, { since, done });
  }

  /** The changes by the agent, and those that events report and no inspection has found yet. */
  #changesOf({ podUid, reported, podSandboxIds, changes }: PendingInspection): RuntimeChange[] {
    const pod = this.#reconciler.records.current(podUid);
    const all = new Map(changes);
    for (const [id, stage] of reported) {
      const change = all.get(id);
      // The event may be later than the answer about the sandbox.
      if (change?.sandbox && stage > 1) all.set(id, { id, podSandboxId: id });
      if (change !== undefined || !isNewStage(id, stage, pod)) continue;
      const podSandboxId = podSandboxIds.get(id);
      all.set(id, { id, ...(podSandboxId && { podSandboxId }), removed: stage === 3 });
    }
    return [...all.values()];
  }

  /** Whether the records have all pods, and events keep them current. */
  #isCurrent(): boolean {
    return this.mode() === 'evented' && this.#connection?.relisted === true;
  }

  /** A call of the agent changes a container. The inspection waits for the end of the sync, which requests it, or for a while. */
  #onChange(change: RuntimeChange): void {
    if (!this.#isCurrent()) return;
    const { id } = change;
    const podUid = change.podUid ?? (id && (this.#pending.podOf(id) ?? this.#reconciler.records.podOf(id)?.uid));
    if (!podUid) return;
    const due = this.#clock.monotonic() + inspectionDelayMs;
    if (!this.#pending.change(podUid, change, due)) this.#scheduleRelist();
    this.#wait.interruptAfter(due);
  }

  #onEvent(event: ContainerEventLike): void {
    const now = this.#clock.monotonic();
    const { containerId } = event;
    const stage = eventStage(event);
    this.#metrics.connectionLatency.observe(Math.max(0, this.#clock.now() - Number(event.createdAt) / 1e6) / 1000);
    this.#drift.report(containerId, stage);
    const podUid = eventPodUid(event) ?? this.#reconciler.records.podOf(containerId)?.uid;
    if (podUid === undefined) {
      // The removal of an unknown container changes nothing; any other event may belong to any pod.
      if (stage < 3) this.#scheduleRelist();
      return;
    }
    // The creation of a container needs no reaction: its start usually follows. If the runtime reports the agent's calls, nor does a start.
    const isExpected = stage === 0 || (stage === 1 && this.#isInspectable);
    const podSandboxId = event.podSandboxStatus?.id;
    const due = isExpected ? now + inspectionDelayMs : now;
    if (!this.#pending.report(podUid, { containerId, stage, podSandboxId }, due)) {
      this.#hasDroppedEvents = true;
      this.#scheduleRelist();
    }
    this.#wait.interruptAfter(due);
  }

  #onReaderWaiting(podUid: string, revision: number): void {
    if (this.mode() !== 'evented') return;
    const answerComes = Math.max(this.#inspecting.get(podUid)?.since ?? -never, this.#relistSince ?? -never) > revision;
    if (answerComes) return;
    this.#waitingRevisions.set(podUid, revision);
    this.#requestFresh(podUid);
  }

  /** An inspection that began for another reason may be too old for a waiting reader. */
  #requestAgain(podUid: string, inspectedSince: number): void {
    const revision = this.#waitingRevisions.get(podUid);
    if (revision === undefined) return;
    if (inspectedSince > revision) this.#waitingRevisions.delete(podUid);
    else this.#requestFresh(podUid);
  }

  /** Inspects the pod at once: what the agent has changed, or the whole pod if it has changed nothing. */
  #requestFresh(podUid: string): void {
    const now = this.#clock.monotonic();
    if (this.#pending.hasChanges(podUid)) this.#pending.hasten(podUid, now);
    else if (!this.#pending.request(podUid, now)) this.#scheduleRelist();
    this.#wait.interrupt();
  }

  #request(podUid: string, due: number): void {
    if (!this.#pending.request(podUid, due)) this.#scheduleRelist();
    this.#wait.interrupt();
  }

  #relistBy(due: number): void {
    this.#relistDue = Math.min(this.#relistDue, due);
    this.#wait.interruptAfter(due);
  }

  /** At most as often as the generic generator. */
  #scheduleRelist(): void {
    this.#relistBy(Math.max(this.#clock.monotonic(), (this.#reconciler.lastRelist ?? -never) + this.#periodMs));
  }

  #confirmDrift(now: number): void {
    const confirmed = this.#drift.takeConfirmed(now);
    if (confirmed.length === 0) return;
    for (const { foundAt, due: _due, ...drift } of confirmed) {
      this.#metrics.drift.inc({ found_at: foundAt });
      this.#logger[changesPod(drift) ? 'warn' : 'debug'](
        { podUID: drift.podUid, containerID: drift.containerId, known: drift.known, listed: drift.listed, foundAt },
        'relist found a change for which the runtime sent no event',
      );
    }
    this.#relistsWithoutDrift = 0;
    this.#relistBy(now + this.#periodMs);
    if (confirmed.some(({ foundAt }) => foundAt === 'relist')) this.#connection?.reopen();
  }

  #onOpened(reopen: () => void): void {
    this.#connection = { reopen, relisted: false };
    this.#relistsWithoutDrift = 0;
    this.#relistBy(this.#clock.monotonic());
  }

  #onProven(): void {
    this.#metrics.connectionSuccesses.inc();
    if (this.#fellBackAt !== undefined) this.#logger.info('container event stream works again');
    this.#fellBackAt = undefined;
  }

  #onClosed({ failures, unimplemented, error, nextIn }: StreamEnd): void {
    this.#connection = undefined;
    // The next stream starts with its own relist.
    if (nextIn > this.#periodMs) this.#relistBy(this.#clock.monotonic() + this.#periodMs);
    if (failures > 0) this.#metrics.connectionErrors.inc();
    const err = error ?? new Error('the stream ended');
    this.#logger.debug({ failures, err }, 'container event stream closed');
    if (this.#fellBackAt !== undefined || !(unimplemented || shouldFallBack(failures))) return;
    this.#fellBackAt = this.#clock.monotonic();
    this.#logger[unimplemented ? 'info' : 'warn']({ failures, err }, 'container events unavailable, falling back to relisting');
  }

  #untilRuntimeRestarted(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const back = () => {
        signal.removeEventListener('abort', back);
        this.#runtimeBack = undefined;
        resolve();
      };
      signal.addEventListener('abort', back, { once: true });
      this.#runtimeBack = { wasAway: false, resolve: back };
    });
  }

  /** Updates the gauges after a burst only: counting all pods after each inspection would cost more than the inspections. */
  #reportWhenIdle(): void {
    if (!this.#hasUnreportedChanges || this.#inspecting.size > 0) return;
    this.#hasUnreportedChanges = false;
    this.#reconciler.reportRunning(this.#reconciler.records.pods());
  }
}

const never = Number.POSITIVE_INFINITY;
/** Delay in milliseconds before the inspection of a pod for which only expected changes were reported. */
const inspectionDelayMs = 1_000;
