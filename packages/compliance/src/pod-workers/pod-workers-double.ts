import {
  type Clock,
  type KillPodNowOptions,
  type KnownPodWorker,
  NodeAgentError,
  type Pod,
  type PodCache,
  type PodSyncer,
  type PodUpdateType,
  type PodWorkerExplanation,
  type PodWorkerState,
  type PodWorkers,
  type UpdatePodOptions,
} from '@nodeagent/api';
import { isStaticPod, isTerminalPhase, podFullName, podUid } from '@nodeagent/api/helpers';
import { TestPodWorker } from './pod-worker-double.js';

/** The ports of {@link createTestPodWorkers}. */
export interface TestPodWorkersPorts {
  syncer: PodSyncer;
  cache: PodCache;
  clock: Pick<Clock, 'setTimeout'>;
}

const retryMs = 10_000;

/** Minimal pod workers: one loop per pod that runs while an update is pending. */
export function createTestPodWorkers(ports: TestPodWorkersPorts): PodWorkers {
  return new Workers(ports);
}

class Workers implements PodWorkers {
  readonly #ports: TestPodWorkersPorts;
  readonly #workers = new Map<string, TestPodWorker>();
  #isStopped = false;
  #areKnown = false;

  constructor(ports: TestPodWorkersPorts) {
    this.#ports = ports;
  }

  updatePod({ type, pod, runningPod, killOptions }: UpdatePodOptions): void {
    const uid = pod ? podUid(pod) : runningPod?.uid;
    if (this.#isStopped || uid === undefined || (!pod && type !== 'kill')) return;
    const worker = this.#workers.get(uid) ?? new TestPodWorker(uid);
    this.#workers.set(uid, worker);
    if (worker.isTerminationRequested && type === 'create') worker.isCreatedAgain = true;
    if (worker.isTerminated || (worker.isTerminationRequested && type === 'create')) {
      killOptions?.onCompleted?.();
      return;
    }
    worker.pod = pod ?? worker.pod;
    worker.running = runningPod;
    if (pod?.metadata?.deletionTimestamp) worker.isDeleted = true;
    if (type === 'kill' || worker.isDeleted || isTerminalPhase(pod?.status?.phase)) worker.terminate(killOptions);
    worker.pending = type;
    this.#startNext(worker);
  }

  syncKnownPods(desired: readonly Pod[]): Map<string, KnownPodWorker> {
    this.#areKnown = true;
    const wanted = new Set(desired.map(podUid));
    const known = new Map<string, KnownPodWorker>();
    for (const [uid, worker] of [...this.#workers]) {
      const orphan = !wanted.has(uid);
      if (worker.isFinished && (orphan || worker.isCreatedAgain)) {
        this.#workers.delete(uid);
        continue;
      }
      if (orphan && worker.pod) {
        worker.isDeleted = true;
        this.updatePod({ type: 'kill', pod: worker.pod });
      }
      known.set(uid, { state: worker.state, orphan, hasConfig: !!worker.pod, static: !!worker.pod && isStaticPod(worker.pod) });
    }
    return known;
  }

  isPodKnownTerminated(uid: string): boolean {
    return this.#ask(uid, false, ({ isTerminated }) => isTerminated);
  }

  couldHaveRunningContainers(uid: string): boolean {
    return this.#ask(uid, !this.#areKnown, ({ isTerminated }) => !isTerminated);
  }

  shouldPodBeFinished(uid: string): boolean {
    return this.#ask(uid, this.#areKnown, ({ isFinished }) => isFinished);
  }

  isPodTerminationRequested(uid: string): boolean {
    return this.#ask(uid, false, ({ isTerminationRequested }) => isTerminationRequested);
  }

  shouldPodContainersBeTerminating(uid: string): boolean {
    return this.#ask(uid, this.#areKnown, ({ hasStartedTerminating }) => hasStartedTerminating);
  }

  shouldPodRuntimeBeRemoved(uid: string): boolean {
    return this.#ask(uid, this.#areKnown, ({ isTerminated }) => isTerminated);
  }

  shouldPodContentBeRemoved(uid: string): boolean {
    return this.#ask(uid, this.#areKnown, ({ isEvicted, isDeleted, isTerminated }) => isEvicted || (isDeleted && isTerminated));
  }

  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean {
    return [...this.#workers.values()].some(
      ({ pod, isTurn, state }) => pod && isStaticPod(pod) && podFullName(pod) === fullName && isTurn && state === 'TerminatingPod',
    );
  }

  killPodNow(pod: Pod, { signal, ...killOptions }: KillPodNowOptions = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      const grace = killOptions.gracePeriodOverride ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
      const late = () => reject(new NodeAgentError('KillPodTimeout', 'timeout waiting to kill pod'));
      const timer = this.#ports.clock.setTimeout(late, Math.max(10, 1.5 * grace) * 1000);
      const onCompleted = () => {
        timer.cancel();
        resolve();
      };
      this.updatePod({ type: 'kill', pod, killOptions: { ...killOptions, onCompleted } });
    });
  }

  state(uid: string): PodWorkerState | undefined {
    return this.#workers.get(uid)?.state;
  }

  explain(uid: string): PodWorkerExplanation | undefined {
    const worker = this.#workers.get(uid);
    if (!worker) return undefined;
    const fullName = worker.pod ? podFullName(worker.pod) : `${worker.running?.name}_${worker.running?.namespace}`;
    const { state, isFinished: finished, pending } = worker;
    return { fullName, state, finished, updatePending: pending !== undefined, summary: `the pod is in state ${state}` };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { controller } of this.#workers.values()) controller.abort(new Error('pod workers are stopped'));
    await Promise.all([...this.#workers.values()].map((worker) => worker.turn));
  }

  #ask(uid: string, unknown: boolean, answer: (worker: TestPodWorker) => boolean): boolean {
    const worker = this.#workers.get(uid);
    return worker ? answer(worker) : unknown;
  }

  #startNext(worker: TestPodWorker): void {
    worker.turn ??= this.#turn(worker).finally(() => {
      worker.turn = undefined;
    });
  }

  async #turn(worker: TestPodWorker): Promise<void> {
    await Promise.resolve();
    while (worker.pending && !worker.isFinished && !this.#isStopped) {
      if (!worker.isTurn && this.#waitsForTurn(worker)) return this.#retry(worker, worker.pending);
      worker.isTurn = true;
      const type = worker.pending;
      worker.pending = undefined;
      await this.#sync(worker, type).catch(() => {
        if (worker.isTerminationRequested && worker.state === 'TerminatingPod' && !worker.hasStartedTerminating) worker.pending ??= 'kill';
        else this.#retry(worker, type);
      });
    }
  }

  /** A static pod waits for the previous ones of its full name. */
  #waitsForTurn({ uid, pod }: TestPodWorker): boolean {
    if (!pod || !isStaticPod(pod)) return false;
    for (const other of this.#workers.values()) {
      if (other.uid === uid) return false;
      if (other.pod && podFullName(other.pod) === podFullName(pod) && !other.isFinished) return true;
    }
    return false;
  }

  #retry(worker: TestPodWorker, type: PodUpdateType): void {
    this.#ports.clock.setTimeout(() => {
      if (this.#isStopped || this.#workers.get(worker.uid) !== worker) return;
      worker.pending ??= type;
      this.#startNext(worker);
    }, retryMs);
  }

  async #sync(worker: TestPodWorker, type: PodUpdateType): Promise<void> {
    const { syncer, cache } = this.#ports;
    const { uid, pod, running } = worker;
    const signal = worker.state === 'SyncPod' ? worker.controller.signal : new AbortController().signal;
    if (!pod) {
      if (running) await syncer.syncTerminatingRuntimePod(running, signal);
      this.#workers.delete(uid);
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
  }
}
