import { type CompletionCallback, noCallbacks, type PodWorkerRecord, requeueLastUpdate } from './record.js';
import type { PodWork } from './start-sync.js';

/** The result of a sync. Without `error` it succeeded; `terminal` means that all containers of the pod have exited for good. */
export interface SyncOutcome {
  error?: unknown;
  terminal?: boolean;
}

/** The effect of a finished sync on its worker. */
export interface SyncCompletion {
  /** The new record; undefined if the pod is removed. */
  record: PodWorkerRecord | undefined;
  /** Whether the worker has finished. */
  ended: boolean;
  /** Whether the pod entered its next state and must be synced immediately. */
  phaseTransition: boolean;
  /** Callbacks to call now, because the pod's containers have stopped. */
  completed: readonly CompletionCallback[];
  /** Callbacks of a removed pod that only the runtime knew. Its containers have stopped too, but the kubelet never calls these. */
  abandoned: readonly CompletionCallback[];
}

/** Applies a finished sync: after success the worker enters the next state, after a failure it repeats the current one. */
export function completeSync(record: PodWorkerRecord, work: PodWork, outcome: SyncOutcome, now: number): SyncCompletion {
  if (outcome.error !== undefined) return same(settle(record));
  if (work.type === 'TerminatedPod') return { ...same({ ...record, finished: true, working: false }), ended: true };
  if (work.type === 'TerminatingPod') {
    if (work.update.runningPod !== undefined) {
      return { record: undefined, ended: true, phaseTransition: false, completed: noCallbacks, abandoned: record.onCompleted };
    }
    const { podStatusFunc: _done, ...rest } = record;
    const terminated = requeueLastUpdate({ ...rest, terminatedAt: now, onCompleted: noCallbacks });
    return { ...same(settle(terminated)), phaseTransition: true, completed: record.onCompleted };
  }
  if (outcome.terminal) {
    const terminating = requeueLastUpdate({
      ...record,
      terminatingAt: record.terminatingAt ?? now,
      terminationCause: record.terminationCause ?? 'containersEnded',
      startedTerminating: true,
    });
    return { ...same(settle(terminating)), phaseTransition: true };
  }
  return same(settle(record));
}

/** A worker with a pending update continues; any other becomes idle. */
const settle = (record: PodWorkerRecord): PodWorkerRecord => (record.pending === undefined ? { ...record, working: false } : record);

const same = (record: PodWorkerRecord): SyncCompletion => ({
  record,
  ended: false,
  phaseTransition: false,
  completed: noCallbacks,
  abandoned: noCallbacks,
});
