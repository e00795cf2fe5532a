import type { KnownPodWorker, Pod, UpdatePodOptions } from '@nodeagent/api';
import { isStaticPod, isTerminalPhase, podUid } from '@nodeagent/api/helpers';
import { applyUpdate, type UpdateDecision, updateTarget } from './apply-update.js';
import { completeSync, type SyncCompletion, type SyncOutcome } from './complete-sync.js';
import { applyKnownPods, describeWorker } from './known-pods.js';
import { type CompletionCallback, isTerminationRequested, type PodWorkerRecord, requeueLastUpdate } from './record.js';
import { abandonUnstarted, acknowledgeTerminating, beginSync, type PodWork, pendingWork, startCondition } from './start-sync.js';
import { canStartStaticPod, type StaticPodQueue } from './static-pods.js';

/**
 * The result of starting a sync: `idle` has nothing to do, `later` must wait for an earlier static pod, `never` terminated without having
 * started.
 */
export type SyncStart =
  | { kind: 'work'; work: PodWork; first: boolean }
  | { kind: 'idle' }
  | { kind: 'later' }
  | { kind: 'never'; abandoned: readonly CompletionCallback[] };

/** The effect of a list of desired pods. */
export interface KnownPodsDecision {
  known: Map<string, KnownPodWorker>;
  /** Workers with a new pending update. */
  scheduled: string[];
  forgotten: string[];
  /** Callbacks of removed pods that never ran. The kubelet never calls them. */
  abandoned: CompletionCallback[];
}

/** Options of {@link createPodWorkerTable}. */
export interface PodWorkerTableOptions {
  /** Whether the runtime runs no container of the pod; called for a new pod in a terminal phase. Default: true. */
  nothingRuns?: (uid: string) => boolean;
}

/**
 * The records of all workers, and the effects of updates and finished syncs on them, without time and I/O. {@link createPodWorkers}
 * combines this table with syncs, timers and a cache. Use the table directly to decide yourself when syncs start and end.
 */
export interface PodWorkerTable {
  /** Undefined for an invalid update. After an `accepted` decision call {@link beginSync}. */
  update(options: UpdatePodOptions, now: number): (UpdateDecision & { uid: string }) | undefined;
  /** Starts a sync with the pending update. At most one sync of a pod may be in progress. */
  beginSync(uid: string, now: number): SyncStart;
  /** Records that the sync starts to stop containers; returns the record with the status function to use, `usedPodStatusFunc`. */
  acknowledgeTerminating(uid: string): PodWorkerRecord | undefined;
  /** Ends a sync. Undefined for a pod that was removed meanwhile. If the record has a pending update, the next sync may start at once. */
  endSync(uid: string, work: PodWork, outcome: SyncOutcome, now: number): SyncCompletion | undefined;
  /** Queues the last update again; returns whether the pod has a pending update. */
  requeue(uid: string): boolean;
  syncKnownPods(desired: readonly Pod[], now: number): KnownPodsDecision;
  record(uid: string): PodWorkerRecord | undefined;
  readonly size: number;
  /** Whether {@link syncKnownPods} has been called; before that, unknown pods may be running. */
  readonly podsSynced: boolean;
  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean;
}

/** Creates an empty table. Throws `InvalidOption`. */
export function createPodWorkerTable(options: PodWorkerTableOptions = {}): PodWorkerTable {
  return new Records(options);
}

class Records implements PodWorkerTable {
  readonly #nothingRuns: (uid: string) => boolean;
  readonly #records = new Map<string, PodWorkerRecord>();
  readonly #staticPods = new Map<string, StaticPodQueue>();
  #podsSynced = false;

  constructor({ nothingRuns = () => true }: PodWorkerTableOptions) {
    this.#nothingRuns = nothingRuns;
  }

  get size(): number {
    return this.#records.size;
  }

  get podsSynced(): boolean {
    return this.#podsSynced;
  }

  record(uid: string): PodWorkerRecord | undefined {
    return this.#records.get(uid);
  }

  update(options: UpdatePodOptions, now: number): (UpdateDecision & { uid: string }) | undefined {
    const target = updateTarget(options);
    if (target === undefined) return undefined;
    const { uid, fullName } = target;
    const known = this.#records.get(uid);
    const ended = known === undefined && isTerminalPhase(options.pod?.status?.phase) && this.#nothingRuns(uid);
    const decision = applyUpdate(known, target, options, now, ended);
    this.#records.set(uid, decision.record);
    if (known === undefined && options.pod !== undefined && isStaticPod(options.pod)) {
      const queue = this.#staticPods.get(fullName);
      this.#staticPods.set(fullName, { ...queue, waiting: [...(queue?.waiting ?? []), uid] });
    }
    return { ...decision, uid };
  }

  beginSync(uid: string, now: number): SyncStart {
    const record = this.#records.get(uid);
    const work = record && !record.finished ? pendingWork(record) : undefined;
    if (record === undefined || work === undefined) {
      if (record?.working) this.#records.set(uid, { ...record, working: false });
      return { kind: 'idle' };
    }
    const condition = startCondition(record);
    if (condition === 'never') {
      this.#records.set(uid, abandonUnstarted(record, now));
      this.#release(uid, record);
      return { kind: 'never', abandoned: record.onCompleted };
    }
    if (condition === 'ask' && !this.#canStart(uid, record)) {
      this.#records.set(uid, { ...record, working: false });
      return { kind: 'later' };
    }
    const first = condition !== 'free';
    this.#records.set(uid, beginSync(record, work.update, first, now));
    return { kind: 'work', work, first };
  }

  acknowledgeTerminating(uid: string): PodWorkerRecord | undefined {
    const record = this.#records.get(uid);
    if (record === undefined) return undefined;
    const acknowledged = acknowledgeTerminating(record);
    this.#records.set(uid, acknowledged);
    return acknowledged;
  }

  endSync(uid: string, work: PodWork, outcome: SyncOutcome, now: number): SyncCompletion | undefined {
    const record = this.#records.get(uid);
    if (record === undefined) return undefined;
    const completion = completeSync(record, work, outcome, now);
    if (completion.record === undefined) this.#records.delete(uid);
    else this.#records.set(uid, completion.record);
    if (completion.ended) this.#release(uid, record);
    return completion;
  }

  requeue(uid: string): boolean {
    const record = this.#records.get(uid);
    if (record === undefined || record.finished) return false;
    const requeued = requeueLastUpdate(record);
    if (requeued.pending === undefined) return false;
    this.#records.set(uid, { ...requeued, working: true });
    return true;
  }

  syncKnownPods(desired: readonly Pod[], now: number): KnownPodsDecision {
    this.#podsSynced = true;
    const desiredUids = new Set(desired.map(podUid));
    const decision: KnownPodsDecision = { known: new Map(), scheduled: [], forgotten: [], abandoned: [] };
    for (const [uid, record] of this.#records) {
      const orphan = !desiredUids.has(uid);
      const next = applyKnownPods(record, orphan, now);
      if (next === undefined) {
        this.#records.delete(uid);
        this.#release(uid, record);
        decision.forgotten.push(uid);
        decision.abandoned.push(...record.onCompleted);
        continue;
      }
      this.#records.set(uid, next);
      if (next.pending !== record.pending) decision.scheduled.push(uid);
      decision.known.set(uid, describeWorker(next, orphan));
    }
    return decision;
  }

  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean {
    const uid = this.#staticPods.get(fullName)?.started;
    const record = uid === undefined ? undefined : this.#records.get(uid);
    return record !== undefined && isTerminationRequested(record) && record.terminatedAt === undefined;
  }

  /** Whether the pod is the next one of its full name; other pods may have to terminate first. */
  #canStart(uid: string, { fullName }: PodWorkerRecord): boolean {
    const isTerminatingOrRemoved = (other: string) => this.#records.get(other)?.terminatingAt !== undefined || !this.#records.has(other);
    const { canStart, queue } = canStartStaticPod(this.#staticPods.get(fullName) ?? { waiting: [] }, uid, isTerminatingOrRemoved);
    this.#setStaticQueue(fullName, queue);
    return canStart;
  }

  /** The pod no longer blocks other static pods with its name. */
  #release(uid: string, { fullName }: PodWorkerRecord): void {
    const queue = this.#staticPods.get(fullName);
    if (queue?.started === uid) this.#setStaticQueue(fullName, { waiting: queue.waiting });
  }

  #setStaticQueue(fullName: string, queue: StaticPodQueue): void {
    if (queue.started === undefined && queue.waiting.length === 0) this.#staticPods.delete(fullName);
    else this.#staticPods.set(fullName, queue);
  }
}
