import {
  type Clock,
  type EventRecorder,
  errorHint,
  errorMessage,
  type KillPodNowOptions,
  type KnownPodWorker,
  type Logger,
  type Metrics,
  noEvents,
  noMetrics,
  type Pod,
  type PodCache,
  type PodRuntimeStatus,
  type PodSyncer,
  type PodSyncOutcome,
  type PodWorkerExplanation,
  type PodWorkerNotes,
  type PodWorkerState,
  type PodWorkers,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
  type TerminatingPodOutcome,
  type UpdatePodOptions,
} from '@nodeagent/api';
import { completeSettings, type GivenSettings, podKey, podReference, type SettingsOf } from '@nodeagent/api/helpers';
import PQueue from 'p-queue';
import type { SyncOutcome } from './complete-sync.js';
import { stoppedError } from './errors.js';
import { explainWorker } from './explain.js';
import { createPodKiller } from './kill-pod.js';
import { createPodWorkersMetrics } from './metrics.js';
import { createPodWorkerQueries } from './queries.js';
import { type CompletionCallback, isRuntimeStatusTerminal, podWorkerState } from './record.js';
import { earliestBackOffExpiry, jitter, requeueDelay } from './requeue.js';
import { createRetryGate, type RetryGate } from './retry-gate.js';
import { podWorkersSettings } from './settings.js';
import type { PodWork } from './start-sync.js';
import { createWorkQueue, type WorkQueue } from './work-queue.js';
import { createPodWorkerTable } from './worker-table.js';

/** Options of {@link createPodWorkers}. */
export interface PodWorkersOptions extends GivenSettings<typeof podWorkersSettings> {
  /** The work of a sync. */
  syncer: PodSyncer;
  /** The runtime statuses. A sync waits in it for a status newer than the last sync that failed or changed the pod. */
  cache: PodCache;
  /** Clock for all timers and timestamps. Default: the system clock. */
  clock?: Clock;
  /** Randomness for jitter. Default: Math.random. */
  random?: Random;
  /** Default: none. */
  recorder?: EventRecorder;
  /**
   * Queue of pods to sync later. Pass one to handle due pods yourself, as the kubelet's sync loop does, with the then current pod. Default:
   * the workers repeat the last update of a due pod.
   */
  workQueue?: WorkQueue;
  /** Called after a sync that changed the pod, to inspect its containers: the PLEG's `requestRelist`. Default: none. */
  requestRelist?: (uid: string) => void;
  /**
   * Called after each sync, once the worker's state is updated. `isUnchanged`: it succeeded and changed neither the pod's containers nor the
   * worker's state. Default: none.
   */
  onSynced?: (uid: string, isUnchanged: boolean) => void;
  /** Returns the pod with its allocated resources, from the allocation manager. Default: the pod itself. */
  allocatedPod?: (pod: Pod) => Pod;
  /**
   * Creates the queue in which the turns of a pod's worker wait. Default: a turn starts as soon as the previous one has ended. Pass one to
   * decide the order of the syncs of several pods, in a simulation or a replay.
   */
  createTurnQueue?: (uid: string) => TurnQueue;
  /** Default: silent. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
}

/**
 * Creates the pod workers: at most one sync of a pod runs at a time, and only the latest update is pending. An idle pod has no running
 * task.
 */
export function createPodWorkers(options: PodWorkersOptions): PodWorkers {
  return new Workers(options);
}

/** The turns of one worker: in a turn it takes its latest update and syncs the pod. */
export interface TurnQueue {
  /** Starts the turn later, never within the call, once the previous one has settled. Settles with it. */
  add(turn: () => Promise<void>): Promise<void>;
}

/** A worker's state besides its record. Kept small, because each pod has one. */
interface Worker {
  readonly uid: string;
  /** Set only while a sync runs or is queued. */
  turns: TurnQueue | undefined;
  /** A turn is queued but has not started; it will use the latest update. */
  isScheduled: boolean;
  /** The controller of the running sync. */
  controller: AbortController | undefined;
  /**
   * The cache revision at the end of the last sync that failed or changed the pod. Statuses up to it are outdated; the next sync may use
   * the status of a sync that changed nothing.
   */
  lastSyncRevision: number;
  /** The pod has changed since the last turn. */
  hasChanged: boolean;
  /** Undefined until a sync fails. */
  gate: RetryGate | undefined;
  notes: PodWorkerNotes;
}

type TurnResult = SyncOutcome & Partial<Pick<PodSyncOutcome, 'changed' | 'reasons'>> & TerminatingPodOutcome;

/** The usual number of concurrent syncs after the agent's start. */
const maxSpareControllers = 8;

class Workers implements PodWorkers {
  readonly #options: PodWorkersOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #recorder: EventRecorder;
  readonly #metrics;
  readonly #settings: SettingsOf<typeof podWorkersSettings>;
  readonly #workQueue: WorkQueue;
  readonly #table = createPodWorkerTable({ nothingRuns: (uid) => this.#nothingRuns(uid) });
  readonly #queries = createPodWorkerQueries(this.#table);
  readonly #workers = new Map<string, Worker>();
  readonly #turns = new Set<Promise<void>>();
  /** Controllers of syncs that were not cancelled, for reuse: creating a signal costs more than most syncs. */
  readonly #spareControllers: AbortController[] = [];
  readonly #killer;
  #stopped = false;

  constructor(options: PodWorkersOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#logger = options.logger ?? silentLogger;
    this.#metrics = createPodWorkersMetrics(options.metrics ?? noMetrics);
    this.#recorder = options.recorder ?? noEvents;
    this.#killer = createPodKiller({ updatePod: (update) => this.updatePod(update), clock: this.#clock, recorder: this.#recorder });
    this.#settings = completeSettings(podWorkersSettings, options, '');
    this.#workQueue = options.workQueue ?? createWorkQueue({ clock: this.#clock });
    if (options.workQueue === undefined) this.#workQueue.onDue = () => this.#requeueDue();
  }

  isPodKnownTerminated = (uid: string) => this.#queries.isPodKnownTerminated(uid);
  couldHaveRunningContainers = (uid: string) => this.#queries.couldHaveRunningContainers(uid);
  shouldPodBeFinished = (uid: string) => this.#queries.shouldPodBeFinished(uid);
  isPodTerminationRequested = (uid: string) => this.#queries.isPodTerminationRequested(uid);
  shouldPodContainersBeTerminating = (uid: string) => this.#queries.shouldPodContainersBeTerminating(uid);
  shouldPodRuntimeBeRemoved = (uid: string) => this.#queries.shouldPodRuntimeBeRemoved(uid);
  shouldPodContentBeRemoved = (uid: string) => this.#queries.shouldPodContentBeRemoved(uid);
  isPodForMirrorPodTerminatingByFullName = (fullName: string) => this.#table.isPodForMirrorPodTerminatingByFullName(fullName);

  updatePod(options: UpdatePodOptions): void {
    if (this.#stopped) {
      this.#logger.debug({ type: options.type }, 'pod workers are stopped, update ignored');
      return;
    }
    const { allocatedPod } = this.#options;
    const now = this.#clock.now();
    const decision = this.#table.update(options.pod && allocatedPod ? { ...options, pod: allocatedPod(options.pod) } : options, now);
    if (decision === undefined) {
      this.#logger.info(
        { type: options.type, podUID: options.runningPod?.uid },
        'update ignored: the only valid update of a pod that only the runtime knows is a kill',
      );
      return;
    }
    const { uid, accepted, cancelSync, completed, abandoned } = decision;
    if (accepted) {
      const worker = this.#worker(uid);
      worker.notes.lastUpdate = { type: options.type, ...causeOf(options), at: now };
      worker.hasChanged ||= options.type !== 'sync';
      this.#scheduleRetry(worker);
      if (cancelSync) worker.controller?.abort(cancelled());
    }
    this.#call([...completed, ...abandoned]);
  }

  syncKnownPods(desired: readonly Pod[]): Map<string, KnownPodWorker> {
    const { known, scheduled, forgotten, abandoned } = this.#table.syncKnownPods(desired, this.#clock.now());
    for (const uid of forgotten) this.#forget(uid);
    for (const uid of scheduled) this.#scheduleRetry(this.#worker(uid));
    this.#call(abandoned);
    return known;
  }

  killPodNow(pod: Pod, options?: KillPodNowOptions): Promise<void> {
    return this.#killer.killPodNow(pod, options);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#options.workQueue === undefined) this.#workQueue.stop();
    this.#killer.stop();
    for (const { controller, gate } of this.#workers.values()) {
      gate?.cancel();
      controller?.abort(stoppedError());
    }
    await Promise.allSettled(this.#turns);
  }

  state(uid: string): PodWorkerState | undefined {
    const record = this.#table.record(uid);
    return record && podWorkerState(record);
  }

  explain(uid: string): PodWorkerExplanation | undefined {
    const record = this.#table.record(uid);
    return record && explainWorker(record, this.#workers.get(uid)?.notes ?? {}, this.#clock.now());
  }

  #worker(uid: string): Worker {
    let worker = this.#workers.get(uid);
    if (worker === undefined) {
      worker = {
        ...{ uid, turns: undefined, isScheduled: false, controller: undefined, lastSyncRevision: Number.NEGATIVE_INFINITY },
        ...{ hasChanged: false, gate: undefined, notes: {} },
      };
      this.#workers.set(uid, worker);
    }
    return worker;
  }

  #forget(uid: string): void {
    this.#workers.get(uid)?.gate?.cancel();
    this.#workers.delete(uid);
  }

  /** Schedules a turn. The retry of a failed sync may have to wait; a change of the pod does not. */
  #scheduleRetry(worker: Worker): void {
    const { gate } = worker;
    if (worker.hasChanged || gate === undefined || gate.isOpen) this.#schedule(worker);
    // What happens during a sync is decided at its end.
    else if (!worker.isScheduled && worker.controller === undefined) gate.pass(() => this.#schedule(worker));
  }

  #schedule(worker: Worker): void {
    worker.gate?.cancel();
    if (worker.isScheduled) return;
    worker.isScheduled = true;
    worker.turns ??= (this.#options.createTurnQueue ?? createTurnQueue)(worker.uid);
    const turn = worker.turns.add(async () => {
      worker.isScheduled = false;
      // A removed pod may have returned with a new worker.
      if (!this.#stopped && this.#workers.get(worker.uid) === worker) await this.#turn(worker);
      if (!worker.isScheduled) worker.turns = undefined;
    });
    this.#turns.add(turn);
    const done = () => this.#turns.delete(turn);
    turn.then(done, (error: unknown) => {
      done();
      this.#logger.error({ podUID: worker.uid, err: error }, "a pod worker's turn failed");
    });
  }

  async #turn(worker: Worker): Promise<void> {
    const { uid, notes } = worker;
    worker.hasChanged = false;
    const start = this.#table.beginSync(uid, this.#clock.now());
    notes.waitingFor = undefined;
    if (start.kind === 'idle') return;
    if (start.kind === 'never') return this.#call(start.abandoned);
    if (start.kind === 'later') {
      notes.waitingFor = 'turn';
      return this.#retryIn(worker, jitter(this.#settings.backOffPeriodMs, this.#random));
    }
    const { work, first } = start;
    if (first) this.#metrics.containersPerPod.observe(work.update.pod?.spec?.containers.length ?? 0);
    notes.lastSync = { work: work.type, updateType: work.update.type, ...causeOf(work.update), startedAt: this.#clock.now() };

    const controller = this.#spareControllers.pop() ?? new AbortController();
    worker.controller = controller;
    const outcome = await this.#sync(worker, work, controller.signal);
    worker.controller = undefined;
    if (!controller.signal.aborted && this.#spareControllers.length < maxSpareControllers) this.#spareControllers.push(controller);
    notes.waitingFor = undefined;
    this.#endTurn(worker, work, outcome);
  }

  #endTurn(worker: Worker, work: PodWork, outcome: TurnResult): void {
    const { uid, notes } = worker;
    const now = this.#clock.now();
    if (notes.lastSync) {
      notes.lastSync.endedAt = now;
      if (outcome.reasons) notes.lastSync.reasons = outcome.reasons;
      if (outcome.error !== undefined) {
        const hint = errorHint(outcome.error);
        notes.lastSync.error = errorMessage(outcome.error);
        if (hint !== undefined) notes.lastSync.hint = hint;
      } else if (outcome.changed) notes.lastChange = notes.lastSync;
    }
    notes.nextRetryAt = undefined;
    if (work.update.startTime !== undefined) {
      this.#metrics.workerDuration.observe((now - work.update.startTime) / 1000, { operation_type: work.update.type });
    }
    if (outcome.changed && outcome.error === undefined) this.#options.requestRelist?.(uid);

    const completion = this.#table.endSync(uid, work, outcome, now);
    if (completion === undefined) return;
    const { record, ended, phaseTransition, completed, abandoned } = completion;
    if (record === undefined && this.#workers.get(uid) === worker) this.#forget(uid);
    if (!ended && !this.#stopped) {
      const again = record?.pending !== undefined;
      const delayMs = jitter(requeueDelay({ error: outcome.error, phaseTransition }, this.#settings, now), this.#random);
      if (outcome.error !== undefined) worker.gate ??= createRetryGate(this.#clock, this.#settings.backOffPeriodMs);
      worker.gate?.settle(outcome.error === undefined ? undefined : delayMs);
      // An external queue is always notified; for the workers' own one, the entry would only cause a second sync.
      if (!again || this.#options.workQueue !== undefined) {
        this.#retryIn(worker, delayMs);
      }
      if (again) this.#scheduleRetry(worker);
    }
    this.#call([...completed, ...abandoned]);
    this.#options.onSynced?.(uid, !ended && !phaseTransition && outcome.changed === false && outcome.error === undefined);
  }

  /** One sync: waits for the runtime status, then calls the syncer. Never rejects. */
  async #sync(worker: Worker, work: PodWork, signal: AbortSignal): Promise<TurnResult> {
    const { uid, notes } = worker;
    const { pod, runningPod } = work.update;
    try {
      let status: PodRuntimeStatus | undefined;
      if (runningPod === undefined) {
        notes.waitingFor = 'runtimeStatus';
        status = await this.#runtimeStatus(worker, pod, signal);
      }
      notes.waitingFor = 'sync';
      let isUnchanged = false;
      let stoppedRevision: number | undefined;
      try {
        const outcome = await this.#dispatch(uid, work, status, signal);
        isUnchanged = outcome.changed === false && outcome.error === undefined;
        stoppedRevision = outcome.stoppedRevision;
        if (outcome.error !== undefined) this.#logFailure(work, outcome.error);
        return outcome;
      } finally {
        if (!isUnchanged) worker.lastSyncRevision = stoppedRevision ?? this.#options.cache.revision();
      }
    } catch (error) {
      if (signal.aborted && error === signal.reason) this.#logger.debug({ podUID: uid, work: work.type }, 'sync cancelled');
      else this.#logFailure(work, error);
      return { error };
    }
  }

  #logFailure({ type, update: { pod } }: PodWork, error: unknown): void {
    const level = earliestBackOffExpiry(error) === undefined ? 'error' : 'debug';
    this.#logger[level]({ pod: pod && podKey(pod), work: type, err: error }, 'error syncing pod');
  }

  async #runtimeStatus(worker: Worker, pod: Pod | undefined, signal: AbortSignal): Promise<PodRuntimeStatus> {
    try {
      return await this.#options.cache.getNewerThan(worker.uid, worker.lastSyncRevision, signal);
    } catch (error) {
      if (pod !== undefined && !signal.aborted) {
        const message = `error determining status: ${errorMessage(error)}`;
        this.#recorder.event(podReference(pod), 'Warning', 'FailedSync', message, undefined, errorHint(error));
      }
      throw error;
    }
  }

  async #dispatch(uid: string, { type, update }: PodWork, status: PodRuntimeStatus | undefined, signal: AbortSignal): Promise<TurnResult> {
    const { syncer } = this.#options;
    const { pod, runningPod, killOptions } = update;
    if (type === 'TerminatingPod') {
      const podStatusFunc = this.#table.acknowledgeTerminating(uid)?.usedPodStatusFunc;
      if (pod && status && runningPod === undefined) {
        return (await syncer.syncTerminatingPod(pod, status, killOptions?.gracePeriodOverride, podStatusFunc, signal)) ?? {};
      }
      if (runningPod !== undefined) await syncer.syncTerminatingRuntimePod(runningPod, signal);
      return {};
    }
    if (pod === undefined || status === undefined) return {};
    if (type === 'SyncPod') return syncer.syncPod(update.type, pod, status, signal);
    await syncer.syncTerminatedPod(pod, status, signal, this.#table.record(uid)?.usedPodStatusFunc);
    return {};
  }

  #retryIn(worker: Worker, delayMs: number): void {
    worker.notes.nextRetryAt = this.#clock.now() + delayMs;
    this.#workQueue.enqueue(worker.uid, delayMs);
  }

  /** Without an external work queue: syncs due pods again with their last update. */
  #requeueDue(): void {
    for (const uid of this.#workQueue.takeDue()) if (this.#table.requeue(uid)) this.#scheduleRetry(this.#worker(uid));
  }

  #nothingRuns(uid: string): boolean {
    try {
      return isRuntimeStatusTerminal(this.#options.cache.get(uid));
    } catch {
      return false;
    }
  }

  #call(callbacks: readonly CompletionCallback[]): void {
    for (const callback of callbacks) {
      try {
        callback();
      } catch (error) {
        this.#logger.error({ err: error }, 'a completion callback threw');
      }
    }
  }
}

function createTurnQueue(): TurnQueue {
  const queue = new PQueue({ concurrency: 1 });
  return { add: (turn) => queue.add(() => Promise.resolve().then(turn)) };
}

const causeOf = ({ cause }: UpdatePodOptions) => (cause === undefined ? {} : { cause });

/** The reason of a cancelled sync: the pod's desired state has changed. */
const cancelled = () => new DOMException('context canceled', 'AbortError');
