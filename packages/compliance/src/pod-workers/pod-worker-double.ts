import type { Pod, PodStatusFunc, PodUpdateType, PodWorkerState, RuntimePod, UpdatePodOptions } from '@nodeagent/api';

/** The state of one pod. */
export class TestPodWorker {
  pod: Pod | undefined;
  running: RuntimePod | undefined;
  /** The update for the next sync. */
  pending: PodUpdateType | undefined;
  gracePeriod: number | undefined;
  podStatusFunc: PodStatusFunc | undefined;
  onCompleted: (() => void)[] = [];
  isTurn = false;
  isTerminationRequested = false;
  hasStartedTerminating = false;
  isTerminated = false;
  isFinished = false;
  isEvicted = false;
  isDeleted = false;
  isCreatedAgain = false;
  lastSync = Number.NEGATIVE_INFINITY;
  turn: Promise<void> | undefined;
  readonly controller = new AbortController();

  constructor(readonly uid: string) {}

  get state(): PodWorkerState {
    return this.isTerminated ? 'TerminatedPod' : this.isTerminationRequested ? 'TerminatingPod' : 'SyncPod';
  }

  terminate({ gracePeriodOverride, onCompleted, podStatusFunc, evict = false }: UpdatePodOptions['killOptions'] = {}) {
    const own = this.pod?.metadata?.deletionGracePeriodSeconds ?? this.pod?.spec?.terminationGracePeriodSeconds ?? 1;
    this.gracePeriod = Math.max(1, Math.min(gracePeriodOverride ?? own, this.gracePeriod ?? Number.POSITIVE_INFINITY));
    if (onCompleted) this.onCompleted.push(onCompleted);
    this.podStatusFunc = podStatusFunc ?? this.podStatusFunc;
    this.isEvicted ||= evict;
    if (!this.isTerminationRequested) this.controller.abort(new Error('the pod ends'));
    this.isTerminationRequested = true;
  }
}
