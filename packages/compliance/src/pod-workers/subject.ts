import type { Pod, PodCache, PodRuntimeStatus, PodSyncer, PodSyncOutcome, PodUpdateType, PodWorkers, RuntimePod } from '@nodeagent/api';
import type { SuiteCase } from '../suite/suite.js';
import { runtimeStatus } from '../support/runtime-objects.js';
import { type Advance, eventually } from '../support/waiting.js';

/** The ports that the suite passes to the pod workers. */
export interface PodWorkersPorts {
  syncer: PodSyncer;
  cache: PodCache;
}

/** Pod workers under test. Use a virtual clock: some cases wait for a retry. */
export interface PodWorkersSubject {
  /** Creates pod workers with this syncer and cache, which retry failed syncs themselves. */
  create(ports: PodWorkersPorts): PodWorkers;
  advance: Advance;
}

/** A call of the syncer. */
interface SyncCall {
  step: 'sync' | 'terminating' | 'runtime' | 'terminated';
  uid: string;
  type?: PodUpdateType;
  pod?: Pod;
  running?: RuntimePod;
  status?: PodRuntimeStatus;
  signal?: AbortSignal;
  gracePeriodOverride?: number | undefined;
  podStatusFunc?: unknown;
}

/** The argument of a case. */
export interface WorkersSession {
  workers: PodWorkers;
  advance: Advance;
  /** All calls of the syncer so far. */
  calls: SyncCall[];
  /** The calls as `<step> <uid>`. */
  steps(): string[];
  /** The behaviour of the syncer; default: succeeds at once and changes nothing. */
  behaviour: { sync?: (call: SyncCall) => Promise<Partial<PodSyncOutcome> | undefined> };
  /** Calls of the cache; `answer` replaces the default result, an empty status at once. */
  cache: {
    asked: { uid: string; revision: number }[];
    revision(): number;
    answer?: (uid: string, revision: number) => Promise<PodRuntimeStatus>;
  };
  /** Advances the clock until the syncer has been called with the step, `count` times in total. */
  untilStep(step: string, count?: number): Promise<void>;
}

/** Maximum time until a failed sync, or the start of a waiting static pod, is retried. */
export const retryLimitMs = 120_000;

/** A case of the pod workers' suite. */
export function workersCase(name: string, run: (session: WorkersSession) => Promise<void>): SuiteCase<PodWorkersSubject> {
  return {
    name,
    async run({ create, advance }) {
      const session = openSession(create, advance);
      try {
        await run(session);
      } finally {
        session.behaviour.sync = async () => undefined;
        await Promise.race([session.workers.stop(), advance(retryLimitMs)]);
      }
    },
  };
}

function openSession(create: PodWorkersSubject['create'], advance: Advance): WorkersSession {
  const calls: SyncCall[] = [];
  const behaviour: WorkersSession['behaviour'] = {};
  let last = 0;
  const cache: WorkersSession['cache'] = { asked: [], revision: () => ++last };
  const call = async (made: SyncCall) => {
    calls.push(made);
    return { terminal: false, changed: false, ...(await behaviour.sync?.(made)) };
  };
  const uidOf = (pod: Pod) => pod.metadata?.uid ?? '';
  const syncer: PodSyncer = {
    syncPod: (type, pod, status, signal) => call({ step: 'sync', uid: uidOf(pod), type, pod, status, signal }),
    async syncTerminatingPod(pod, status, gracePeriodOverride, podStatusFunc, signal) {
      await call({ step: 'terminating', uid: uidOf(pod), pod, status, gracePeriodOverride, podStatusFunc, signal });
    },
    async syncTerminatingRuntimePod(running, signal) {
      await call({ step: 'runtime', uid: running.uid, running, signal });
    },
    async syncTerminatedPod(pod, status, signal, podStatusFunc) {
      await call({ step: 'terminated', uid: uidOf(pod), pod, status, signal, podStatusFunc });
    },
  };
  const workers = create({
    syncer,
    cache: {
      get: runtimeStatus,
      revision: cache.revision,
      async getNewerThan(uid, revision, signal) {
        cache.asked.push({ uid, revision });
        if (cache.answer === undefined) return runtimeStatus(uid);
        const aborted = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
        return Promise.race([cache.answer(uid, revision), aborted]);
      },
    },
  });
  const steps = () => calls.map(({ step, uid }) => `${step} ${uid}`);
  return {
    workers,
    advance,
    calls,
    steps,
    behaviour,
    cache,
    untilStep: (step, count = 1) =>
      eventually(advance, `${step}, ${count} times`, () => steps().filter((each) => each === step).length >= count, retryLimitMs),
  };
}
