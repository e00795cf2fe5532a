import type { PodWorkerExplanation, PodWorkerNotes, PodWorkerState } from '@nodeagent/api';
import { describeSteps } from '@nodeagent/api/helpers';
import { type PodWorkerRecord, podWorkerState } from './record.js';

/** Explains a worker's last sync, its result and the next sync. */
export function explainWorker(record: PodWorkerRecord, notes: PodWorkerNotes, now: number): PodWorkerExplanation {
  return {
    ...notes,
    fullName: record.fullName,
    state: podWorkerState(record),
    summary: summarize(record, notes, now),
    finished: record.finished,
    ...(record.terminationCause && { terminationCause: record.terminationCause }),
    ...(record.gracePeriod > 0 && { gracePeriod: record.gracePeriod }),
    updatePending: record.pending !== undefined,
  };
}

function summarize(record: PodWorkerRecord, { lastSync, lastChange, nextRetryAt, waitingFor }: PodWorkerNotes, now: number): string {
  if (record.finished) return 'The pod has terminated and its resources are released.';
  if (waitingFor === 'runtimeStatus') return 'Waiting for a runtime status newer than the last sync.';
  if (waitingFor === 'turn') return 'Waiting until an earlier static pod with the same name has terminated.';
  if (waitingFor === 'sync') return `${syncVerb[podWorkerState(record)]}, since ${seconds(now - (lastSync?.startedAt ?? now))}.`;
  const next = nextRetryAt === undefined ? '' : ` Next sync in ${seconds(nextRetryAt - now)}.`;
  if (lastSync === undefined) return `Not synced yet.${next}`;
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
  TerminatedPod: 'Releasing the resources of the terminated pod',
};

const seconds = (ms: number) => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
