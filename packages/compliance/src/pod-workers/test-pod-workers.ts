import {
  type Clock,
  isStaticPod,
  isTerminalPhase,
  type KnownPodWorker,
  NodeAgentError,
  type Pod,
  type PodCache,
  type PodStatusFunc,
  type PodSyncer,
  type PodUpdateType,
  type PodWorkerState,
  type PodWorkers,
  podFullName,
  podUid,
  type RuntimePod,
  type UpdatePodOptions,
} from '@nodeagent/api';

/** The ports of {@link createTestPodWorkers}. */
export interface TestPodWorkersPorts {
  syncer: PodSyncer;
  cache: PodCache;
  clock: Pick<Clock, 'setTimeout'>;
}

const retryMs = 10_000;

/** The state of one pod. */
class Worker {
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

/** Minimal pod workers: one loop per pod that runs while an update is pending. */
export function createTestPodWorkers({ syncer, cache, clock }: TestPodWorkersPorts): PodWorkers {
  const workers = new Map<string, Worker>();
  let isStopped = false;
  let areKnown = false;
  const ask = (uid: string, unknown: boolean, answer: (worker: Worker) => boolean) => {
    const worker = workers.get(uid);
    return worker ? answer(worker) : unknown;
  };
  const waitsForTurn = ({ uid, pod }: Worker) => {
    if (!pod || !isStaticPod(pod)) return false;
    for (const other of workers.values()) {
      if (other.uid === uid) return false;
      if (other.pod && podFullName(other.pod) === podFullName(pod) && !other.isFinished) return true;
    }
    return false;
  };

  const sync = async (worker: Worker, type: PodUpdateType) => {
    const { uid, pod, running } = worker;
    const signal = worker.state === 'SyncPod' ? worker.controller.signal : new AbortController().signal;
    if (!pod) {
      if (running) await syncer.syncTerminatingRuntimePod(running, signal);
      workers.delete(uid);
      return;
    }
    const status = await cache.getNewerThan(uid, worker.lastSync, signal);
    try {
      if (worker.isTerminated) {
        await syncer.syncTerminatedPod(pod, status, signal, worker.podStatusFunc);
        worker.isFinished = true;
      } else if (worker.isTerminationRequested) {
        worker.hasStartedTerminating = true;
        await syncer.syncTerminatingPod(pod, status, worker.gracePeriod, worker.podStatusFunc, signal);
        worker.isTerminated = true;
        worker.pending ??= 'sync';
        for (const onCompleted of worker.onCompleted.splice(0)) onCompleted();
      } else {
        const { terminal, error } = await syncer.syncPod(type, pod, status, signal);
        if (error) throw error;
        if (terminal) {
          worker.terminate();
          worker.pending ??= 'sync';
        }
      }
    } finally {
      worker.lastSync = cache.revision();
    }
  };

  const turn = async (worker: Worker) => {
    await Promise.resolve();
    while (worker.pending && !worker.isFinished && !isStopped) {
      if (!worker.isTurn && waitsForTurn(worker)) return retry(worker, worker.pending);
      worker.isTurn = true;
      const type = worker.pending;
      worker.pending = undefined;
      await sync(worker, type).catch(() => {
        if (worker.isTerminationRequested && worker.state === 'TerminatingPod' && !worker.hasStartedTerminating) worker.pending ??= 'kill';
        else retry(worker, type);
      });
    }
  };
  const startNext = (worker: Worker) => {
    worker.turn ??= turn(worker).finally(() => {
      worker.turn = undefined;
    });
  };
  const retry = (worker: Worker, type: PodUpdateType) => {
    clock.setTimeout(() => {
      if (isStopped || workers.get(worker.uid) !== worker) return;
      worker.pending ??= type;
      startNext(worker);
    }, retryMs);
  };

  const self: PodWorkers = {
    updatePod({ type, pod, runningPod, killOptions }) {
      const uid = pod ? podUid(pod) : runningPod?.uid;
      if (isStopped || uid === undefined || (!pod && type !== 'kill')) return;
      const worker = workers.get(uid) ?? new Worker(uid);
      workers.set(uid, worker);
      if (worker.isTerminationRequested && type === 'create') worker.isCreatedAgain = true;
      if (worker.isTerminated || (worker.isTerminationRequested && type === 'create')) return killOptions?.onCompleted?.();
      worker.pod = pod ?? worker.pod;
      worker.running = runningPod;
      if (pod?.metadata?.deletionTimestamp) worker.isDeleted = true;
      if (type === 'kill' || worker.isDeleted || isTerminalPhase(pod?.status?.phase)) worker.terminate(killOptions);
      worker.pending = type;
      startNext(worker);
    },
    syncKnownPods(desired) {
      areKnown = true;
      const wanted = new Set(desired.map(podUid));
      const known = new Map<string, KnownPodWorker>();
      for (const [uid, worker] of [...workers]) {
        const orphan = !wanted.has(uid);
        if (worker.isFinished && (orphan || worker.isCreatedAgain)) {
          workers.delete(uid);
          continue;
        }
        if (orphan && worker.pod) {
          worker.isDeleted = true;
          self.updatePod({ type: 'kill', pod: worker.pod });
        }
        known.set(uid, { state: worker.state, orphan, hasConfig: !!worker.pod, static: !!worker.pod && isStaticPod(worker.pod) });
      }
      return known;
    },
    isPodKnownTerminated: (uid) => ask(uid, false, ({ isTerminated }) => isTerminated),
    couldHaveRunningContainers: (uid) => ask(uid, !areKnown, ({ isTerminated }) => !isTerminated),
    shouldPodBeFinished: (uid) => ask(uid, areKnown, ({ isFinished }) => isFinished),
    isPodTerminationRequested: (uid) => ask(uid, false, ({ isTerminationRequested }) => isTerminationRequested),
    shouldPodContainersBeTerminating: (uid) => ask(uid, areKnown, ({ hasStartedTerminating }) => hasStartedTerminating),
    shouldPodRuntimeBeRemoved: (uid) => ask(uid, areKnown, ({ isTerminated }) => isTerminated),
    shouldPodContentBeRemoved: (uid) =>
      ask(uid, areKnown, ({ isEvicted, isDeleted, isTerminated }) => isEvicted || (isDeleted && isTerminated)),
    isPodForMirrorPodTerminatingByFullName: (fullName) =>
      [...workers.values()].some(
        ({ pod, isTurn, state }) => pod && isStaticPod(pod) && podFullName(pod) === fullName && isTurn && state === 'TerminatingPod',
      ),
    killPodNow: (pod, { signal, ...killOptions } = {}) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        const grace = killOptions.gracePeriodOverride ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
        const late = () => reject(new NodeAgentError('KillPodTimeout', 'timeout waiting to kill pod'));
        const timer = clock.setTimeout(late, Math.max(10, 1.5 * grace) * 1000);
        const onCompleted = () => {
          timer.cancel();
          resolve();
        };
        self.updatePod({ type: 'kill', pod, killOptions: { ...killOptions, onCompleted } });
      }),
    state: (uid) => workers.get(uid)?.state,
    explain(uid) {
      const worker = workers.get(uid);
      if (!worker) return undefined;
      const fullName = worker.pod ? podFullName(worker.pod) : `${worker.running?.name}_${worker.running?.namespace}`;
      const { state, isFinished: finished, pending } = worker;
      return { fullName, state, finished, updatePending: pending !== undefined, summary: `the pod is in state ${state}` };
    },
    async stop() {
      isStopped = true;
      for (const { controller } of workers.values()) controller.abort(new Error('pod workers are stopped'));
      await Promise.all([...workers.values()].map((worker) => worker.turn));
    },
  };
  return self;
}
