import type { PodWorkerState, UpdatePodOptions } from '@nodeagent/api';
import { isStaticPod } from '@nodeagent/api/helpers';
import { type ActiveUpdate, type KillSettings, noCallbacks, type PodWorkerRecord, podWorkerState } from './record.js';

/** The work of one sync. */
export interface PodWork {
  type: PodWorkerState;
  update: UpdatePodOptions;
}

/**
 * Whether a pod's first sync may start: `free` needs no check (it has started before, or only terminates), `ask` is a static pod that may
 * have to wait for an earlier one, `never` a static pod that was terminated before it started, `start` any other.
 */
export function startCondition(record: PodWorkerRecord): 'free' | 'start' | 'ask' | 'never' {
  const { pending, startedAt } = record;
  if (startedAt !== undefined || pending?.pod === undefined) return 'free';
  if (!isStaticPod(pending.pod)) return 'start';
  return record.terminatingAt !== undefined ? 'never' : 'ask';
}

/** The record of a worker that starts a sync with the pending update; `first` marks the pod as started. */
export function beginSync(record: PodWorkerRecord, update: UpdatePodOptions, first: boolean, now: number): PodWorkerRecord {
  const { pending: _taken, ...rest } = record;
  return { ...rest, ...(first && { startedAt: now }), active: mergeUpdate(record.active, update) };
}

/** The record of a static pod that was terminated before it started, and needs no sync. */
export function abandonUnstarted(record: PodWorkerRecord, now: number): PodWorkerRecord {
  const { pending: _taken, ...rest } = record;
  return { ...rest, finished: true, working: false, terminatedAt: now, onCompleted: noCallbacks };
}

/** Merges an update into the last pod and kill settings. Values that the update omits are kept, except callbacks and type. */
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

/** Records that a terminating sync has started to stop the pod's containers, with the status function of now. */
export function acknowledgeTerminating(record: PodWorkerRecord): PodWorkerRecord {
  if (record.terminatingAt === undefined) return record;
  const { usedPodStatusFunc: _earlier, ...rest } = record;
  return { ...rest, startedTerminating: true, ...(record.podStatusFunc && { usedPodStatusFunc: record.podStatusFunc }) };
}

/** The work that the pending update requests from the next sync. */
export function pendingWork(record: PodWorkerRecord): PodWork | undefined {
  return record.pending && { type: podWorkerState(record), update: record.pending };
}
