import { isStaticPod, type PodWorkerState, type UpdatePodOptions } from '@nodeagent/api';
import { type ActiveUpdate, type KillSettings, noCallbacks, type PodWorkerRecord, podWorkerState } from './record.js';

/** What a sync is to do. */
export interface PodWork {
  type: PodWorkerState;
  update: UpdatePodOptions;
}

/**
 * Whether a pod's first sync may begin: `free` needs no permission (it began before, or only its end remains), `ask` is a static pod
 * that must wait its turn, `never` one that was told to end before its turn came, `start` any other.
 */
export function startCondition(record: PodWorkerRecord): 'free' | 'start' | 'ask' | 'never' {
  const { pending, startedAt } = record;
  if (startedAt !== undefined || pending?.pod === undefined) return 'free';
  if (!isStaticPod(pending.pod)) return 'start';
  return record.terminatingAt !== undefined ? 'never' : 'ask';
}

/** The record of a worker that begins a sync with the pending update; `first` marks the pod as started. */
export function beginSync(record: PodWorkerRecord, update: UpdatePodOptions, first: boolean, now: number): PodWorkerRecord {
  const { pending: _taken, ...rest } = record;
  return { ...rest, ...(first && { startedAt: now }), active: mergeUpdate(record.active, update) };
}

/** The record of a static pod that was told to end before it was ever started: there is nothing to do for it. */
export function abandonUnstarted(record: PodWorkerRecord, now: number): PodWorkerRecord {
  const { pending: _taken, ...rest } = record;
  return { ...rest, finished: true, working: false, terminatedAt: now, onCompleted: noCallbacks };
}

/** The last pod and kill settings that are known; what the update leaves out is kept, callbacks and type are not. */
export function mergeUpdate(active: ActiveUpdate | undefined, update: UpdatePodOptions): ActiveUpdate {
  const pod = active?.pod === undefined || update.runningPod === undefined ? update.pod : active.pod;
  const killOptions = update.killOptions ? settingsOf(update.killOptions) : active?.killOptions;
  return {
    ...(pod && { pod }),
    ...(update.runningPod && { runningPod: update.runningPod }),
    ...(killOptions && { killOptions }),
  };
}

function settingsOf({ evict, gracePeriodOverride }: KillSettings): KillSettings {
  return { ...(evict && { evict }), ...(gracePeriodOverride !== undefined && { gracePeriodOverride }) };
}

/** A terminating sync begins: from now on the pod's containers are being stopped. */
export function acknowledgeTerminating(record: PodWorkerRecord): PodWorkerRecord {
  return record.terminatingAt !== undefined && !record.startedTerminating ? { ...record, startedTerminating: true } : record;
}

/** What the pending update asks the next sync to do. */
export function pendingWork(record: PodWorkerRecord): PodWork | undefined {
  return record.pending && { type: podWorkerState(record), update: record.pending };
}
