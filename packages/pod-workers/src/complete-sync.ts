import { type CompletionCallback, noCallbacks, type PodWorkerRecord, requeueLastUpdate } from './record.js';
import type { PodWork } from './start-sync.js';

/** How a sync ended: without `error` it succeeded; `terminal` tells that the pod has ended by itself. */
export interface SyncOutcome {
  error?: unknown;
  terminal?: boolean;
}

/** What a finished sync does to its worker. */
export interface SyncCompletion {
  /** Undefined: the pod is to be forgotten. */
  record: PodWorkerRecord | undefined;
  /** The worker has nothing left to do. */
  ended: boolean;
  /** The pod went on to its next state and is to be synced at once. */
  phaseTransition: boolean;
  /** Callbacks to call now: the pod's containers have stopped. */
  completed: readonly CompletionCallback[];
  /** Callbacks of a forgotten pod that only the runtime knew: its containers have stopped too, but the kubelet leaves these unanswered. */
  moot: readonly CompletionCallback[];
}

/** What a finished sync does to its worker: on to the next state if it succeeded, the same again if not. */
export function completeSync(record: PodWorkerRecord, work: PodWork, outcome: SyncOutcome, now: number): SyncCompletion {
  if (outcome.error !== undefined) return same(settle(record));
  if (work.type === 'TerminatedPod') return { ...same({ ...record, finished: true, working: false }), ended: true };
  if (work.type === 'TerminatingPod') {
    if (work.update.runningPod !== undefined) {
      return { record: undefined, ended: true, phaseTransition: false, completed: noCallbacks, moot: record.onCompleted };
    }
    const { podStatusFunc: _done, ...rest } = record;
    const terminated = requeueLastUpdate({ ...rest, terminatedAt: now, onCompleted: noCallbacks });
    return { ...same(settle(terminated)), phaseTransition: true, completed: record.onCompleted };
  }
  if (outcome.terminal) {
    const terminating = requeueLastUpdate({
      ...record,
      terminatingAt: record.terminatingAt ?? now,
      endsBecause: record.endsBecause ?? 'containersEnded',
      startedTerminating: true,
    });
    return { ...same(settle(terminating)), phaseTransition: true };
  }
  return same(settle(record));
}

/** A worker with another update works on; any other rests. */
const settle = (record: PodWorkerRecord): PodWorkerRecord => (record.pending === undefined ? { ...record, working: false } : record);

const same = (record: PodWorkerRecord): SyncCompletion => ({
  record,
  ended: false,
  phaseTransition: false,
  completed: noCallbacks,
  moot: noCallbacks,
});
