import { describeSteps, type PodWorkerExplanation, type PodWorkerNotes, type PodWorkerState } from '@nodeagent/api';
import { type PodWorkerRecord, podWorkerState } from './record.js';

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
