import { isStaticPod, isTerminalPhase, type KnownPodWorker, type Pod, podUid, type UpdatePodOptions } from '@nodeagent/api';
import { applyUpdate, type UpdateDecision, updateTarget } from './apply-update.js';
import { completeSync, type SyncCompletion, type SyncOutcome } from './complete-sync.js';
import { applyKnownPods, describeWorker } from './known-pods.js';
import { type CompletionCallback, isTerminationRequested, type PodWorkerRecord, requeueLastUpdate } from './record.js';
import { abandonUnstarted, acknowledgeTerminating, beginSync, type PodWork, pendingWork, startCondition } from './start-sync.js';
import { canStartStaticPod, type StaticPodQueue } from './static-pods.js';

/** What the start of a sync found: `idle` has nothing to do, `later` must wait its turn, `never` has ended without ever running. */
export type SyncStart =
  | { kind: 'work'; work: PodWork; first: boolean }
  | { kind: 'idle' }
  | { kind: 'later' }
  | { kind: 'never'; moot: readonly CompletionCallback[] };

/** What a list of desired pods did. */
export interface KnownPodsDecision {
  known: Map<string, KnownPodWorker>;
  /** Workers that have a new update to begin with. */
  wake: string[];
  forgotten: string[];
  /** Callbacks of forgotten pods of which nothing ever ran. The kubelet leaves them unanswered. */
  moot: CompletionCallback[];
}

/** Options of {@link createPodWorkerTable}. */
export interface PodWorkerTableOptions {
  /** Whether the runtime has nothing running of the pod; asked for a new pod in a terminal phase. Default: it has nothing. */
  nothingRuns?: (uid: string) => boolean;
}

/**
 * The records of all workers, and what updates and finished syncs do to them; it knows no time, starts nothing and waits for nothing.
 * {@link createPodWorkers} is this table with syncs, timers and a cache; drive it by hand to decide when a sync begins and ends.
 */
export interface PodWorkerTable {
  /** Undefined for an illegal update. A decision that is `accepted` makes the pod ready to {@link beginSync}. */
  update(options: UpdatePodOptions, now: number): (UpdateDecision & { uid: string }) | undefined;
  /** Takes the pending update. At most one sync of a pod may be between its begin and its end. */
  beginSync(uid: string, now: number): SyncStart;
  /** The sync begins to stop containers; returns the record with the status function to report with. */
  acknowledgeTerminating(uid: string): PodWorkerRecord | undefined;
  /** Undefined for a pod that was forgotten meanwhile. After it the pod may begin again at once if its record has an update pending. */
  endSync(uid: string, work: PodWork, outcome: SyncOutcome, now: number): SyncCompletion | undefined;
  /** Queues the last update again; whether the pod has something to begin with. */
  requeue(uid: string): boolean;
  syncKnownPods(desired: readonly Pod[], now: number): KnownPodsDecision;
  record(uid: string): PodWorkerRecord | undefined;
  readonly size: number;
  /** Whether {@link syncKnownPods} was ever called: before it, unknown pods may be running. */
  readonly podsSynced: boolean;
  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean;
}

export function createPodWorkerTable({ nothingRuns = () => true }: PodWorkerTableOptions = {}): PodWorkerTable {
  const records = new Map<string, PodWorkerRecord>();
  const staticPods = new Map<string, StaticPodQueue>();
  let podsSynced = false;

  const setStaticQueue = (fullName: string, queue: StaticPodQueue) => {
    if (queue.started === undefined && queue.waiting.length === 0) staticPods.delete(fullName);
    else staticPods.set(fullName, queue);
  };
  /** The pod no longer holds up others of its name. */
  const release = (uid: string, { fullName }: PodWorkerRecord) => {
    const queue = staticPods.get(fullName);
    if (queue?.started === uid) setStaticQueue(fullName, { waiting: queue.waiting });
  };
  const isLeaving = (uid: string) => records.get(uid)?.terminatingAt !== undefined || !records.has(uid);

  return {
    update(options, now) {
      const target = updateTarget(options);
      if (target === undefined) return undefined;
      const { uid, fullName } = target;
      const known = records.get(uid);
      const ended = known === undefined && isTerminalPhase(options.pod?.status?.phase) && nothingRuns(uid);
      const decision = applyUpdate(known, target, options, now, ended);
      records.set(uid, decision.record);
      if (known === undefined && options.pod !== undefined && isStaticPod(options.pod)) {
        const queue = staticPods.get(fullName);
        staticPods.set(fullName, { ...queue, waiting: [...(queue?.waiting ?? []), uid] });
      }
      return { ...decision, uid };
    },
    beginSync(uid, now) {
      const record = records.get(uid);
      const work = record && !record.finished ? pendingWork(record) : undefined;
      if (record === undefined || work === undefined) {
        if (record?.working) records.set(uid, { ...record, working: false });
        return { kind: 'idle' };
      }
      const condition = startCondition(record);
      if (condition === 'never') {
        records.set(uid, abandonUnstarted(record, now));
        release(uid, record);
        return { kind: 'never', moot: record.onCompleted };
      }
      if (condition === 'ask') {
        const { canStart, queue } = canStartStaticPod(staticPods.get(record.fullName) ?? { waiting: [] }, uid, isLeaving);
        setStaticQueue(record.fullName, queue);
        if (!canStart) {
          records.set(uid, { ...record, working: false });
          return { kind: 'later' };
        }
      }
      const first = condition !== 'free';
      records.set(uid, beginSync(record, work.update, first, now));
      return { kind: 'work', work, first };
    },
    acknowledgeTerminating(uid) {
      const record = records.get(uid);
      if (record === undefined) return undefined;
      const acknowledged = acknowledgeTerminating(record);
      records.set(uid, acknowledged);
      return acknowledged;
    },
    endSync(uid, work, outcome, now) {
      const record = records.get(uid);
      if (record === undefined) return undefined;
      const completion = completeSync(record, work, outcome, now);
      if (completion.record === undefined) records.delete(uid);
      else records.set(uid, completion.record);
      if (completion.ended) release(uid, record);
      return completion;
    },
    requeue(uid) {
      const record = records.get(uid);
      if (record === undefined || record.finished) return false;
      const requeued = requeueLastUpdate(record);
      if (requeued.pending === undefined) return false;
      records.set(uid, { ...requeued, working: true });
      return true;
    },
    syncKnownPods(desired, now) {
      podsSynced = true;
      const wanted = new Set(desired.map(podUid));
      const decision: KnownPodsDecision = { known: new Map(), wake: [], forgotten: [], moot: [] };
      for (const [uid, record] of records) {
        const orphan = !wanted.has(uid);
        const next = applyKnownPods(record, orphan, now);
        if (next === undefined) {
          records.delete(uid);
          release(uid, record);
          decision.forgotten.push(uid);
          decision.moot.push(...record.onCompleted);
          continue;
        }
        records.set(uid, next);
        if (next.pending !== record.pending) decision.wake.push(uid);
        decision.known.set(uid, describeWorker(next, orphan));
      }
      return decision;
    },
    record: (uid) => records.get(uid),
    get size() {
      return records.size;
    },
    get podsSynced() {
      return podsSynced;
    },
    isPodForMirrorPodTerminatingByFullName(fullName) {
      const uid = staticPods.get(fullName)?.started;
      const record = uid === undefined ? undefined : records.get(uid);
      return record !== undefined && isTerminationRequested(record) && record.terminatedAt === undefined;
    },
  };
}
