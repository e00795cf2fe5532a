import {
  type Clock,
  type KillPodOptions,
  type Pod,
  type PodCache,
  type PodSyncer,
  type PodWorkerState,
  type PodWorkers,
  podFullName,
  podUid,
  type Timer,
} from '@nodeagent/api';

const retryMs = 1000;

interface Worker {
  pod: Pod;
  state: PodWorkerState;
  kill: KillPodOptions;
  isPending: boolean;
  isFinished: boolean;
  lastSync: number;
  running: Promise<void> | undefined;
  timer: Timer | undefined;
}

/** Workers that run the syncs of a pod one at a time. They know only pods of the sources. */
export function createPodWorkers(ports: {
  syncer: PodSyncer;
  cache: PodCache;
  clock: Clock;
  onSynced(uid: string): void;
  requestRelist(uid: string): void;
}): PodWorkers {
  const { syncer, cache, clock, onSynced, requestRelist } = ports;
  const workers = new Map<string, Worker>();
  const ended = new AbortController();
  const { signal } = ended;
  let isSettled = false;

  /** One sync; returns whether the next one follows at once. */
  const sync = async (uid: string, worker: Worker): Promise<boolean> => {
    const { pod, state, kill } = worker;
    const status = await cache.getNewerThan(uid, worker.lastSync, signal);
    if (state === 'SyncPod') {
      const { terminal, changed, error } = await syncer.syncPod('sync', pod, status, signal);
      if (changed) worker.lastSync = cache.revision();
      if (error) throw error;
      if (terminal) worker.state = 'TerminatingPod';
      return terminal;
    }
    if (state === 'TerminatingPod') {
      await syncer.syncTerminatingPod(pod, status, kill.gracePeriodOverride, kill.podStatusFunc, signal);
      worker.lastSync = cache.revision();
      worker.state = 'TerminatedPod';
      kill.onCompleted?.();
      return true;
    }
    await syncer.syncTerminatedPod(pod, status, signal, kill.podStatusFunc);
    worker.isFinished = true;
    return false;
  };
  const run = async (uid: string, worker: Worker) => {
    while (worker.isPending && !worker.isFinished && !signal.aborted) {
      worker.isPending = false;
      try {
        if (await sync(uid, worker)) worker.isPending = true;
      } catch {
        if (!signal.aborted) worker.timer = clock.setTimeout(() => trigger(uid), retryMs);
      }
      requestRelist(uid);
      onSynced(uid);
    }
    worker.running = undefined;
  };
  const trigger = (uid: string) => {
    const worker = workers.get(uid);
    if (!worker || signal.aborted) return;
    worker.isPending = true;
    worker.running ??= Promise.resolve().then(() => run(uid, worker));
  };
  const end = (uid: string, kill: KillPodOptions = {}) => {
    const worker = workers.get(uid);
    if (!worker) return kill.onCompleted?.();
    if (worker.state === 'TerminatedPod') kill.onCompleted?.();
    worker.kill = { ...worker.kill, ...kill };
    if (worker.state === 'SyncPod') worker.state = 'TerminatingPod';
    trigger(uid);
  };
  const is = (uid: string, ...states: PodWorkerState[]) => states.includes(workers.get(uid)?.state ?? 'SyncPod');

  return {
    updatePod({ type, pod, killOptions }) {
      if (!pod || signal.aborted) return;
      const uid = podUid(pod);
      if (type === 'kill') return end(uid, killOptions);
      const state = pod.metadata?.deletionTimestamp ? 'TerminatingPod' : 'SyncPod';
      const known = workers.get(uid);
      if (known) known.pod = pod;
      else {
        const lastSync = Number.NEGATIVE_INFINITY;
        workers.set(uid, { pod, state, kill: {}, isPending: false, isFinished: false, lastSync, running: undefined, timer: undefined });
      }
      trigger(uid);
    },
    syncKnownPods(desired) {
      isSettled = true;
      const desiredUids = new Set(desired.map(podUid));
      for (const [uid, { isFinished }] of workers) {
        if (desiredUids.has(uid)) continue;
        if (isFinished) workers.delete(uid);
        else end(uid);
      }
      return new Map(
        [...workers].map(([uid, { state }]) => [uid, { state, orphan: !desiredUids.has(uid), hasConfig: true, static: false }]),
      );
    },
    isPodKnownTerminated: (uid) => is(uid, 'TerminatedPod'),
    couldHaveRunningContainers: (uid) => (workers.has(uid) ? !is(uid, 'TerminatedPod') : !isSettled),
    shouldPodBeFinished: (uid) => workers.get(uid)?.isFinished ?? isSettled,
    isPodTerminationRequested: (uid) => is(uid, 'TerminatingPod', 'TerminatedPod'),
    shouldPodContainersBeTerminating: (uid) => (workers.has(uid) ? is(uid, 'TerminatingPod', 'TerminatedPod') : isSettled),
    shouldPodRuntimeBeRemoved: (uid) => (workers.has(uid) ? is(uid, 'TerminatedPod') : isSettled),
    shouldPodContentBeRemoved: (uid) => (workers.has(uid) ? is(uid, 'TerminatedPod') : isSettled),
    isPodForMirrorPodTerminatingByFullName: (fullName) =>
      [...workers].some(([uid, { pod, isFinished }]) => podFullName(pod) === fullName && is(uid, 'TerminatingPod') && !isFinished),
    killPodNow: (pod, options = {}) => new Promise((resolve) => end(podUid(pod), { ...options, onCompleted: resolve })),
    state: (uid) => workers.get(uid)?.state,
    explain(uid) {
      const worker = workers.get(uid);
      if (!worker) return undefined;
      const { pod, state, isFinished, isPending } = worker;
      return { fullName: podFullName(pod), state, summary: state, finished: isFinished, updatePending: isPending };
    },
    async stop() {
      ended.abort(new Error('the workers stop'));
      for (const { timer } of workers.values()) timer?.cancel();
      await Promise.all([...workers.values()].map(({ running }) => running));
    },
  };
}
