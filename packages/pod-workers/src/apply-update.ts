import type { Pod, TerminationCause, UpdatePodOptions } from '@nodeagent/api';
import { isTerminalPhase, podFullName, podUid } from '@nodeagent/api/helpers';
import { effectiveGracePeriod } from './grace-period.js';
import { type CompletionCallback, newRecord, noCallbacks, type PodWorkerRecord } from './record.js';

/** The pod of an update. */
export interface UpdateTarget {
  uid: string;
  fullName: string;
  /** Whether only the runtime knows the pod. */
  runtimePod: boolean;
}

/** The pod of an update; undefined for an invalid one: the only valid update of a pod that only the runtime knows is a kill. */
export function updateTarget({ type, pod, runningPod }: UpdatePodOptions): UpdateTarget | undefined {
  if (pod !== undefined) return { uid: podUid(pod), fullName: podFullName(pod), runtimePod: false };
  if (runningPod === undefined || type !== 'kill') return undefined;
  return { uid: runningPod.uid, fullName: `${runningPod.name}_${runningPod.namespace}`, runtimePod: true };
}

/** The effect of an update on a worker's record. */
export interface UpdateDecision {
  record: PodWorkerRecord;
  /** Whether the update is pending for the worker's next sync. */
  accepted: boolean;
  /** Whether to cancel the running sync, because its goal or its grace period is outdated. */
  cancelSync: boolean;
  /** Callbacks to call now. */
  completed: readonly CompletionCallback[];
  /** Callbacks of an update that was ignored because the pod no longer runs. The kubelet never calls them. */
  abandoned: readonly CompletionCallback[];
}

/**
 * Applies an update to its pod's record, which is undefined for a new pod. `nothingRuns` matters only for a new pod in a terminal phase:
 * the runtime runs none of its containers, so that only its cleanup remains.
 */
export function applyUpdate(
  known: PodWorkerRecord | undefined,
  target: UpdateTarget,
  options: UpdatePodOptions,
  now: number,
  nothingRuns = false,
): UpdateDecision {
  let record = known ?? firstRecord(target, options.pod, now, nothingRuns);
  let pod = options.pod;
  let runningPod = pod === undefined ? options.runningPod : undefined;
  if (target.runtimePod) {
    record = { ...record, observedRuntime: true };
    pod = record.pending?.pod ?? record.active?.pod;
    if (pod !== undefined) runningPod = undefined;
  }
  const callback = options.killOptions?.onCompleted;
  const callbacks = callback ? [callback] : noCallbacks;

  if (known !== undefined && record.terminatingAt !== undefined && options.type === 'create') {
    return ignored({ ...record, restartRequested: true }, noCallbacks);
  }
  if (record.finished) return ignored(record, callbacks);

  const cause = record.terminatingAt === undefined ? terminationCause(target, pod, options) : undefined;
  if (cause !== undefined) {
    record = {
      ...record,
      terminatingAt: now,
      terminationCause: cause,
      ...(cause === 'deleted' && { deleted: true }),
      ...(cause === 'evicted' && { evicted: true }),
    };
  }

  const pending: UpdatePodOptions = { type: options.type };
  if (pod !== undefined) pending.pod = pod;
  if (runningPod !== undefined) pending.runningPod = runningPod;
  const startTime = earlier(record.pending?.startTime, options.startTime);
  if (startTime !== undefined) pending.startTime = startTime;
  if (options.cause !== undefined) pending.cause = options.cause;

  if (record.terminatedAt !== undefined || record.terminatingAt === undefined) {
    if (record.terminatedAt !== undefined && target.runtimePod) return ignored(record, callbacks);
    return {
      record: { ...record, pending, working: true },
      accepted: true,
      cancelSync: false,
      completed: callbacks,
      abandoned: noCallbacks,
    };
  }

  const { gracePeriod, shortened } = effectiveGracePeriod({
    recorded: record.gracePeriod,
    deletionGracePeriodSeconds: pod?.metadata?.deletionGracePeriodSeconds,
    override: options.killOptions?.gracePeriodOverride,
    terminationGracePeriodSeconds: pod?.spec?.terminationGracePeriodSeconds,
  });
  pending.killOptions = { ...(options.killOptions?.evict && { evict: true }), gracePeriodOverride: gracePeriod };
  const podStatusFunc = options.killOptions?.podStatusFunc ?? record.podStatusFunc;
  record = {
    ...record,
    gracePeriod,
    ...(callback && { onCompleted: [...record.onCompleted, callback] }),
    ...(podStatusFunc && { podStatusFunc }),
    pending,
    working: true,
  };
  return { record, accepted: true, cancelSync: cause !== undefined || shortened, completed: noCallbacks, abandoned: noCallbacks };
}

/** A pod that terminated before the agent started, and has no running containers, needs only its cleanup. */
function firstRecord({ fullName }: UpdateTarget, pod: Pod | undefined, now: number, nothingRuns: boolean): PodWorkerRecord {
  const record = newRecord(fullName, now);
  if (!nothingRuns || !isTerminalPhase(pod?.status?.phase)) return record;
  return { ...record, terminatingAt: now, terminationCause: 'containersEnded', terminatedAt: now, startedTerminating: true };
}

function terminationCause(target: UpdateTarget, pod: Pod | undefined, options: UpdatePodOptions): TerminationCause | undefined {
  if (target.runtimePod || pod?.metadata?.deletionTimestamp) return 'deleted';
  if (isTerminalPhase(pod?.status?.phase)) return 'containersEnded';
  if (options.type !== 'kill') return undefined;
  return options.killOptions?.evict ? 'evicted' : 'killed';
}

function earlier(waiting: number | undefined, fresh: number | undefined): number | undefined {
  return waiting !== undefined && fresh !== undefined ? Math.min(waiting, fresh) : fresh;
}

const ignored = (record: PodWorkerRecord, abandoned: readonly CompletionCallback[]): UpdateDecision => ({
  record,
  accepted: false,
  cancelSync: false,
  completed: noCallbacks,
  abandoned,
});
