import { describeSteps, type PodUpdateCause, type PodUpdateType, type PodWorkerState, type SyncReason } from '@nodeagent/api';
import { type PodWorkerEnd, type PodWorkerRecord, podWorkerState } from './record.js';

/** What a worker notes beside its record, only to tell it. Times are milliseconds of the wall clock. */
export interface PodWorkerNotes {
  lastUpdate?: { type: PodUpdateType; cause?: PodUpdateCause; at: number };
  lastSync?: PodWorkerLastSync;
  /** The last sync that did something, without an error. */
  lastChange?: PodWorkerLastSync;
  nextRetryAt?: number;
  /** What the worker waits for right now, if it waits. */
  waitingFor?: PodWorkerWait;
}

export interface PodWorkerLastSync {
  work: PodWorkerState;
  /** The update that caused it. */
  updateType: PodUpdateType;
  /** What brought that update about, if its sender told. */
  cause?: PodUpdateCause;
  startedAt: number;
  /** Absent while it runs. */
  endedAt?: number;
  /** Why it did what it did, or nothing. */
  reasons?: readonly SyncReason[];
  /** The error's text, if it failed. */
  error?: string;
  /** What the user can do about the error, where it says so. */
  hint?: string;
}

/** `runtimeStatus`: a look at the runtime after the last sync; `sync`: the sync itself; `turn`: an earlier static pod of that name. */
export type PodWorkerWait = 'runtimeStatus' | 'sync' | 'turn';

/** Why a pod is where it is. */
export interface PodWorkerExplanation extends PodWorkerNotes {
  fullName: string;
  state: PodWorkerState;
  /** One sentence for a person. */
  summary: string;
  finished: boolean;
  /** Only once the pod ends. */
  endsBecause?: PodWorkerEnd;
  /** Seconds; only once termination was requested. */
  gracePeriod?: number;
  updatePending: boolean;
}

/** Tells what a worker did last, what came of it and what comes next. */
export function explainWorker(record: PodWorkerRecord, notes: PodWorkerNotes, now: number): PodWorkerExplanation {
  return {
    ...notes,
    fullName: record.fullName,
    state: podWorkerState(record),
    summary: summarize(record, notes, now),
    finished: record.finished,
    ...(record.endsBecause && { endsBecause: record.endsBecause }),
    ...(record.gracePeriod > 0 && { gracePeriod: record.gracePeriod }),
    updatePending: record.pending !== undefined,
  };
}

function summarize(record: PodWorkerRecord, { lastSync, lastChange, nextRetryAt, waitingFor }: PodWorkerNotes, now: number): string {
  if (record.finished) return 'The pod has ended and nothing remains to be done.';
  if (waitingFor === 'runtimeStatus') return 'Waits for a look at the runtime that is newer than the last sync.';
  if (waitingFor === 'turn') return 'Waits until an earlier static pod of the same name has ended.';
  if (waitingFor === 'sync') return `${syncVerb[podWorkerState(record)]}, since ${seconds(now - (lastSync?.startedAt ?? now))}.`;
  const next = nextRetryAt === undefined ? '' : ` Next sync in ${seconds(nextRetryAt - now)}.`;
  if (lastSync === undefined) return `Has not been synced yet.${next}`;
  if (lastSync.error !== undefined) {
    const steps = describeSteps(lastSync.reasons);
    const hint = lastSync.hint === undefined ? '' : ` (${lastSync.hint.replace(/\.$/, '')})`;
    return `The last sync failed: ${lastSync.error}${hint}.${steps && ` It was to ${steps}.`}${next}`;
  }
  const steps = lastChange && describeSteps(lastChange.reasons);
  const change = steps ? ` The last change was ${seconds(now - (lastChange.endedAt ?? now))} ago: ${steps}.` : '';
  return `The last sync succeeded.${change}${next}`;
}

const syncVerb: Record<PodWorkerState, string> = {
  SyncPod: 'Syncing the pod',
  TerminatingPod: 'Stopping the containers',
  TerminatedPod: 'Releasing what the ended pod holds',
};

const seconds = (ms: number) => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
