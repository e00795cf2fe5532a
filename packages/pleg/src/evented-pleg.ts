import {
  abortable,
  type Channel,
  type Clock,
  createRunLoop,
  type Logger,
  noMetrics,
  type PodLifecycleEvent,
  type PodLifecycleEventGenerator,
  requirePositive,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { type ContainerEventLike, type ContainerEventSource, eventPodUid, eventStage, isNews } from './container-event.js';
import { changesPod, createDriftWatch, findDrift } from './drift.js';
import { followEvents, type StreamEnd, shouldFallBack } from './event-connection.js';
import type { GenericPlegOptions } from './generic-pleg.js';
import { relistUnhealthyReason } from './health.js';
import { createEventedPlegMetrics, type EventedPlegMetrics } from './metrics.js';
import { createPendingLooks, type PendingLook, type PendingLooks } from './pending-looks.js';
import { createReconciler, type PlegReconciler } from './reconciler.js';
import { nextRelistDelay } from './relist-rhythm.js';
import { createWakeableWait } from './wakeable-wait.js';

/** Options of {@link createEventedPleg}; the generic ones hold while there are no events. */
export interface EventedPlegOptions extends Omit<GenericPlegOptions, 'relistRequestCapacity'> {
  /** Where events come from. */
  containerEvents: ContainerEventSource;
  /** `auto` takes "not implemented" for an answer until the runtime was away; `on` asks again and again. Default `auto`. */
  evented?: 'auto' | 'on';
  /** Longest pause between full relists while events tell what happens, milliseconds. Default 300000. */
  eventedRelistPeriodMs?: number;
  /** As `relistThresholdMs`, while events tell what happens. Default 600000. */
  eventedRelistThresholdMs?: number;
  /** How long an event may lag behind a relist that shows the same before it counts as lost, milliseconds. Default 5000. */
  driftGraceMs?: number;
  /** Pods that may wait to be looked at; if there are more, everything is listed instead. Default 10000. */
  lookCapacity?: number;
}

/** The generator, and which way it works now. */
export interface EventedPleg extends PodLifecycleEventGenerator {
  /** `evented` while a stream of events tells what happens, `generic` while everything is listed each second instead. */
  mode(): 'evented' | 'generic';
}

/**
 * The evented pod lifecycle event generator (KEP-3386): the runtime's events tell which pod to look at, so that an idle node costs
 * nothing. Events are never believed, only followed: CRI does not say when their contents were read, so each leads to a look at its
 * pod. Every stream begins with a full relist, and relists go on slowly; what they find that no event told is repaired, counted in
 * `nodeagent_pleg_drift_total`, and makes relists frequent again and the stream be opened anew.
 *
 * A reader that waits in the cache makes its pod be looked at, hence nobody waits for the slow relist. While it runs it takes the
 * cache's `onWaiting`.
 */
export function createEventedPleg(options: EventedPlegOptions): EventedPleg {
  for (const field of ['channelCapacity', 'statusConcurrency', 'lookCapacity'] as const) {
    requirePositive(field, options[field], { integer: true });
  }
  for (const field of [
    'relistPeriodMs',
    'relistThresholdMs',
    'eventedRelistPeriodMs',
    'eventedRelistThresholdMs',
    'driftGraceMs',
  ] as const) {
    requirePositive(field, options[field]);
  }
  return new Generator(options);
}

/** What is known of the stream that is open. */
interface Connection {
  renew(): void;
  /** A relist has begun since it was opened. */
  relisted: boolean;
}

class Generator implements EventedPleg {
  readonly events: Channel<PodLifecycleEvent>;
  readonly #options: EventedPlegOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: EventedPlegMetrics;
  readonly #concurrency: number;
  readonly #periodMs: number;
  readonly #reconciler: PlegReconciler;
  readonly #pending: PendingLooks;
  readonly #drift: ReturnType<typeof createDriftWatch>;
  readonly #wait: ReturnType<typeof createWakeableWait>;
  readonly #running = createRunLoop((signal) => this.#run(signal));
  /** Looks that run: the pod and the moment before it was begun. */
  readonly #looking = new Map<string, { since: number; done: Promise<void> }>();
  /** The moment after which a look has to begin to be news for the reader that waits for the pod. */
  readonly #wanted = new Map<string, number>();
  #connection: Connection | undefined;
  /** Since when there are too few events to rely on; undefined while there are enough. */
  #fellBackAt: number | undefined;
  /** The last relist was done while a stream was open: what it showed has been kept current by events. */
  #keptByEvents = false;
  #relistsWithoutDrift = 0;
  /** Events were forgotten for want of room since the last relist: what it finds may have been told. */
  #forgotEvents = false;
  /** When the next full relist is due, monotonic milliseconds. */
  #relistDue = 0;
  /** The moment before the full relist that runs was begun. */
  #relistSince: number | undefined;
  /** Callers of `relist` whom the next one answers. */
  readonly #relistCallers: (() => void)[] = [];
  /** Settles when the relist that was asked for last before start is through. */
  #tail: Promise<void> = Promise.resolve();
  /** Looks changed what runs since it was last reported. */
  #unreported = false;
  /** Waits for a runtime without events to go away and come back, as after an upgrade. */
  #runtimeBack: { wasAway: boolean; resolve(): void } | undefined;

  constructor(options: EventedPlegOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#metrics = createEventedPlegMetrics(options.metrics ?? noMetrics);
    this.#concurrency = options.statusConcurrency ?? 4;
    this.#periodMs = options.relistPeriodMs ?? 1_000;
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
    this.#pending = createPendingLooks(options.lookCapacity ?? 10_000);
    this.#drift = createDriftWatch(options.driftGraceMs ?? 5_000);
    this.#wait = createWakeableWait(this.#clock);
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
    const { relistThresholdMs = 180_000, eventedRelistThresholdMs = 600_000 } = this.#options;
    const { lastRelist, lastError } = this.#reconciler;
    const now = this.#clock.monotonic();
    const fellBackAt = this.#fellBackAt;
    const thresholdMs = fellBackAt === undefined ? eventedRelistThresholdMs : relistThresholdMs;
    // What was good enough until the fall-back has the shorter time from there on.
    if (lastRelist !== undefined && fellBackAt !== undefined && now - fellBackAt <= thresholdMs) return undefined;
    return relistUnhealthyReason({ lastRelist, thresholdMs, waitingCall: this.#reconciler.waitingCall(), lastError }, now);
  }

  requestRelist(podUid: string): void {
    this.#ask(podUid, this.#clock.monotonic());
  }

  requestReinspect(podUid: string): void {
    this.#reconciler.records.reinspect(podUid);
    if (this.mode() === 'evented') this.#ask(podUid, this.#clock.monotonic());
  }

  async relist(signal: AbortSignal = new AbortController().signal): Promise<void> {
    if (!this.#running.isRunning) {
      this.#tail = this.#tail.then(() => this.#relist(signal));
      return this.#tail;
    }
    const through = new Promise<void>((resolve) => this.#relistCallers.push(resolve));
    this.#relistBy(this.#clock.monotonic());
    await abortable(through, signal).catch(() => {});
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { cache, containerEvents, evented } = this.#options;
    this.#relistDue = this.#clock.monotonic();
    cache.onWaiting = (podUid, moment) => this.#readerWaits(podUid, moment);
    const listener = {
      opened: (renew: () => void) => this.#opened(renew),
      event: (event: ContainerEventLike) => this.#event(event),
      proven: () => this.#proven(),
      closed: (end: StreamEnd) => this.#closed(end),
      untilRuntimeIsBack: (until: AbortSignal) => this.#untilRuntimeIsBack(until),
    };
    await Promise.all([
      followEvents({ containerEvents, clock: this.#clock, insist: evented === 'on', listener }, signal),
      this.#work(signal),
    ]);
    await Promise.all([...this.#looking.values()].map(({ done }) => done));
    cache.onWaiting = undefined;
    this.#wanted.clear();
    for (const answer of this.#relistCallers.splice(0)) answer();
    this.#connection = undefined;
    this.#keptByEvents = false;
  }

  /** Full relists, looks and verdicts, each when it is due. A full relist has the runtime for itself. */
  async #work(signal: AbortSignal): Promise<void> {
    const busy = (podUid: string) => this.#looking.has(podUid);
    while (!signal.aborted) {
      const now = this.#clock.monotonic();
      this.#judgeDrift(now);
      const relistIsDue = now >= this.#relistDue;
      if (relistIsDue && this.#looking.size === 0) {
        await this.#relist(signal);
        continue;
      }
      const hasRoom = !relistIsDue && this.#looking.size < this.#concurrency;
      const look = hasRoom ? this.#pending.take(now, busy) : undefined;
      if (look !== undefined) {
        this.#look(look, signal);
        continue;
      }
      this.#reportWhenIdle();
      const dues = [this.#drift.nextDue(), relistIsDue ? never : this.#relistDue, hasRoom ? this.#pending.nextDue(busy) : never];
      await this.#wait.until(Math.min(...dues), signal);
    }
  }

  async #relist(signal: AbortSignal): Promise<void> {
    const callers = this.#relistCallers.splice(0);
    await this.#relistNow(signal);
    for (const answer of callers) answer();
  }

  async #relistNow(signal: AbortSignal): Promise<void> {
    const since = this.#options.cache.moment();
    const connection = this.#connection;
    const foundAt = connection?.relisted ? 'relist' : 'reconnect';
    const compares = this.#keptByEvents && connection !== undefined && !this.#forgotEvents;
    const covered = this.#pending.takeAll();
    this.#forgotEvents = false;
    this.#relistSince = since;
    this.#relistDue = never;
    this.#drift.begin(covered.flatMap(({ told }) => [...told]));
    const failed = await this.#reconciler.relist(signal, (pods) => {
      if (compares) this.#drift.suspect(findDrift(this.#reconciler.records.pods(), pods), foundAt, this.#clock.monotonic());
    });
    this.#drift.end();
    this.#relistSince = undefined;
    this.#unreported = false;
    if (signal.aborted) return;

    const end = this.#clock.monotonic();
    const retry = end + this.#periodMs;
    if (failed === undefined) {
      for (const look of covered) this.#pending.putBack(look, retry);
      this.#relistBy(retry);
      if (this.#runtimeBack) this.#runtimeBack.wasAway = true;
      return;
    }
    for (const podUid of failed) this.#ask(podUid, retry);
    for (const podUid of [...this.#wanted.keys()]) this.#askAgain(podUid, since);
    if (connection !== undefined) connection.relisted = true;
    this.#keptByEvents = connection !== undefined && connection === this.#connection;
    const rhythm = { following: this.mode() === 'evented', relistsWithoutDrift: this.#relistsWithoutDrift++ };
    const { eventedRelistPeriodMs = 300_000 } = this.#options;
    this.#relistBy(end + nextRelistDelay({ ...rhythm, genericPeriodMs: this.#periodMs, eventedPeriodMs: eventedRelistPeriodMs }));
    if (this.#runtimeBack?.wasAway) this.#runtimeBack.resolve();
  }

  #look(look: PendingLook, signal: AbortSignal): void {
    const { podUid, asked, told } = look;
    const pod = this.#reconciler.records.current(podUid);
    if (!asked && ![...told].some(([containerId, stage]) => isNews(containerId, stage, pod))) return;
    const since = this.#options.cache.moment();
    const done = this.#reconciler.look(podUid, signal).then((ok) => {
      this.#looking.delete(podUid);
      this.#unreported = true;
      this.#askAgain(podUid, since);
      if (!ok && !this.#pending.putBack(look, this.#clock.monotonic() + this.#periodMs)) this.#relistSoon();
      // A listing may know more: a pod that another client made need not have the labels by which one pod is found.
      const isSaidToBe = [...told.values()].some((stage) => stage < 3);
      if (ok && isSaidToBe && this.#reconciler.records.current(podUid) === undefined) this.#relistSoon();
      this.#wait.wake();
    });
    this.#looking.set(podUid, { since, done });
  }

  #event(event: ContainerEventLike): void {
    const now = this.#clock.monotonic();
    const { containerId } = event;
    const stage = eventStage(event);
    this.#metrics.connectionLatency.observe(Math.max(0, this.#clock.now() - Number(event.createdAt) / 1e6) / 1000);
    this.#drift.tell(containerId, stage);
    const podUid = eventPodUid(event) ?? this.#reconciler.records.podOf(containerId)?.uid;
    if (podUid === undefined) {
      // What is gone and was never seen makes no difference; anything else may be of any pod.
      if (stage < 3) this.#relistSoon();
      return;
    }
    // Nothing follows from a container that is made: its start, which comes next as a rule, makes the pod be looked at.
    const due = stage === 0 ? now + madeMs : now;
    if (!this.#pending.tell(podUid, containerId, stage, due)) {
      this.#forgotEvents = true;
      this.#relistSoon();
    }
    this.#wait.wake();
  }

  #readerWaits(podUid: string, moment: number): void {
    if (this.mode() !== 'evented') return;
    const answerComes = Math.max(this.#looking.get(podUid)?.since ?? -never, this.#relistSince ?? -never) > moment;
    if (answerComes) return;
    this.#wanted.set(podUid, moment);
    this.#ask(podUid, this.#clock.monotonic());
  }

  /** A look may have begun for another reason before the moment after which a reader wants it. */
  #askAgain(podUid: string, lookedSince: number): void {
    const moment = this.#wanted.get(podUid);
    if (moment === undefined) return;
    if (lookedSince > moment) this.#wanted.delete(podUid);
    else this.#ask(podUid, this.#clock.monotonic());
  }

  #ask(podUid: string, due: number): void {
    if (!this.#pending.ask(podUid, due)) this.#relistSoon();
    this.#wait.wake();
  }

  #relistBy(due: number): void {
    this.#relistDue = Math.min(this.#relistDue, due);
    this.#wait.wake();
  }

  /** No more often than the generic generator would. */
  #relistSoon(): void {
    this.#relistBy(Math.max(this.#clock.monotonic(), (this.#reconciler.lastRelist ?? -never) + this.#periodMs));
  }

  #judgeDrift(now: number): void {
    const confirmed = this.#drift.takeConfirmed(now);
    if (confirmed.length === 0) return;
    for (const { foundAt, due: _due, ...drift } of confirmed) {
      this.#metrics.drift.inc({ found_at: foundAt });
      this.#logger[changesPod(drift) ? 'warn' : 'debug'](
        { podUID: drift.podUid, containerID: drift.containerId, known: drift.known, listed: drift.listed, foundAt },
        'the runtime sent no event for a change that a relist has found',
      );
    }
    this.#relistsWithoutDrift = 0;
    this.#relistBy(now + this.#periodMs);
    if (confirmed.some(({ foundAt }) => foundAt === 'relist')) this.#connection?.renew();
  }

  #opened(renew: () => void): void {
    this.#connection = { renew, relisted: false };
    this.#relistsWithoutDrift = 0;
    this.#relistBy(this.#clock.monotonic());
  }

  #proven(): void {
    this.#metrics.connectionSuccesses.inc();
    if (this.#fellBackAt !== undefined) this.#logger.info("following the runtime's container events again");
    this.#fellBackAt = undefined;
  }

  #closed({ failures, unimplemented, error, nextIn }: StreamEnd): void {
    this.#connection = undefined;
    // The next stream begins with a relist of its own.
    if (nextIn > this.#periodMs) this.#relistBy(this.#clock.monotonic() + this.#periodMs);
    if (failures > 0) this.#metrics.connectionErrors.inc();
    const err = error ?? new Error('the stream ended');
    this.#logger.debug({ failures, err }, 'the stream of container events is closed');
    if (this.#fellBackAt !== undefined || !(unimplemented || shouldFallBack(failures))) return;
    this.#fellBackAt = this.#clock.monotonic();
    this.#logger[unimplemented ? 'info' : 'warn']({ failures, err }, 'no container events, listing everything instead');
  }

  #untilRuntimeIsBack(signal: AbortSignal): Promise<void> {
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

  /** The gauges follow once a burst is through: to count everything after each look would cost more than the looks. */
  #reportWhenIdle(): void {
    if (!this.#unreported || this.#looking.size > 0) return;
    this.#unreported = false;
    this.#reconciler.reportRunning(this.#reconciler.records.pods());
  }
}

const never = Number.POSITIVE_INFINITY;
/** How soon a pod is looked at of which only is known that a container was made, milliseconds. */
const madeMs = 1_000;
