import type { Pod, PodSyncOutcome, PodUpdateType, UpdatePodOptions } from '@nodeagent/api';
import { configSourceAnnotation } from '@nodeagent/api/helpers';
import { createPodCache } from '@nodeagent/pleg';
import { createPodWorkers } from '@nodeagent/pod-workers';
import { effectiveGracePeriod } from '@nodeagent/pod-workers/decisions';
import { createVirtualClock } from '@nodeagent/testing';
import { type Adapter, defineAdapter } from '../adapter.js';
import { evictFlag, neverClosedCompletions, runtimePodKill } from '../masks.js';

interface RecordedPod {
  name: string;
  static: boolean;
  phase: string;
  deleting: boolean;
  deletionGracePeriodSeconds: number | null;
  terminationGracePeriodSeconds: number | null;
}

interface RecordedKill {
  completionId: number | null;
  evict: boolean;
  gracePeriodOverride: number | null;
}

type Step =
  | { op: 'update'; uid: string; updateType: PodUpdateType; runningPodOnly: boolean; pod?: RecordedPod; kill?: RecordedKill }
  | { op: 'beginSync'; uid: string }
  | { op: 'endSync'; uid: string; outcome: 'ok' | 'error' | 'networkNotReady' | 'canceled' | 'terminal' }
  | { op: 'syncKnownPods'; desired: string[] };

interface Input {
  backOffPeriodSeconds: number;
  resyncIntervalSeconds: number;
  steps: Step[];
}

const uids = ['a', 's1', 's2'];

function pod(uid: string, recorded: RecordedPod): Pod {
  const { name, phase, deleting, deletionGracePeriodSeconds, terminationGracePeriodSeconds } = recorded;
  return {
    metadata: {
      uid,
      name,
      namespace: 'prod',
      annotations: { [configSourceAnnotation]: recorded.static ? 'file' : 'api' },
      ...(deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      ...(deletionGracePeriodSeconds !== null && { deletionGracePeriodSeconds }),
    },
    spec: { containers: [], ...(terminationGracePeriodSeconds !== null && { terminationGracePeriodSeconds }) },
    status: { phase },
  };
}

function updateOf({ uid, updateType: type, runningPodOnly, pod: recorded, kill }: Extract<Step, { op: 'update' }>, completed: number[]) {
  const options: UpdatePodOptions = { type };
  if (runningPodOnly) {
    options.runningPod = { uid, name: uid === 'a' ? 'a' : 'static', namespace: 'prod', containers: [], sandboxes: [] };
  } else if (recorded) options.pod = pod(uid, recorded);
  if (kill) {
    const { completionId, evict, gracePeriodOverride } = kill;
    options.killOptions = {
      evict,
      ...(gracePeriodOverride !== null && { gracePeriodOverride }),
      ...(completionId !== null && { onCompleted: () => void completed.push(completionId) }),
    };
  }
  return options;
}

const errors = { error: 'sync failed', networkNotReady: 'network is not ready: not yet', canceled: 'context canceled' };

/** A sync in progress; the recording ends it. */
interface RunningSync {
  gracePeriodOverride?: number | undefined;
  runtimePod?: boolean;
  end(outcome: Extract<Step, { op: 'endSync' }>['outcome']): void;
}

async function replay({ backOffPeriodSeconds, resyncIntervalSeconds, steps }: Input) {
  const clock = createVirtualClock();
  const turns = new Map<string, () => void>();
  const syncs = new Map<string, RunningSync>();
  const signals = new Map<string, AbortSignal>();
  const requeued: string[] = [];
  const completed: number[] = [];
  const cache = createPodCache();

  const sync = (uid: string, signal: AbortSignal, details: Omit<RunningSync, 'end'> = {}) =>
    new Promise<PodSyncOutcome>((resolve, reject) => {
      const end: RunningSync['end'] = (outcome) => {
        if (outcome === 'ok' || outcome === 'terminal') resolve({ terminal: outcome === 'terminal', changed: false });
        else reject(new Error(errors[outcome]));
      };
      syncs.set(uid, { ...details, end });
      signals.set(uid, signal);
    });
  const uidOf = ({ metadata }: Pod) => metadata?.uid ?? '';

  const workers = createPodWorkers({
    clock,
    random: () => 0,
    backOffPeriodMs: backOffPeriodSeconds * 1000,
    syncFrequencyMs: resyncIntervalSeconds * 1000,
    cache: { get: (uid) => cache.get(uid), revision: () => cache.revision(), getNewerThan: async (uid) => cache.get(uid) },
    syncer: {
      syncPod: (_type, of, _status, signal) => sync(uidOf(of), signal),
      async syncTerminatingPod(of, _status, gracePeriodOverride, _podStatusFunc, signal) {
        await sync(uidOf(of), signal, { gracePeriodOverride });
      },
      syncTerminatingRuntimePod: async ({ uid }, signal) => void (await sync(uid, signal, { runtimePod: true })),
      syncTerminatedPod: async (of, _status, signal) => void (await sync(uidOf(of), signal)),
    },
    createTurnQueue: (uid) => ({
      add: (turn) =>
        new Promise<void>((resolve, reject) => {
          turns.set(uid, () => void turn().then(resolve, reject));
        }),
    }),
    workQueue: {
      enqueue: (_uid, delayMs) => void requeued.push(delayClass(delayMs)),
      takeDue: () => [],
      onDue: undefined,
      size: 0,
      stop() {},
    },
  });

  const begin = async (uid: string) => {
    const turn = turns.get(uid);
    // A turn that was queued when the worker ended does nothing; a kubelet's worker no longer takes it.
    const hasEnded = workers.explain(uid)?.finished ?? true;
    if (turn === undefined || hasEnded || syncs.has(uid)) return { ok: false, canStart: false, canEverStart: false };
    turns.delete(uid);
    turn();
    await clock.settle();
    const started = syncs.get(uid);
    const worker = workers.explain(uid);
    if (started === undefined) return { ok: true, canStart: false, canEverStart: worker?.finished === false };
    return {
      ok: true,
      canStart: true,
      canEverStart: true,
      workType: worker?.lastSync?.work,
      updateType: worker?.lastSync?.updateType,
      runtimePod: started.runtimePod ?? false,
      gracePeriodOverride: started.gracePeriodOverride,
    };
  };

  const run = async (step: Step): Promise<object> => {
    if (step.op === 'update') workers.updatePod(updateOf(step, completed));
    else if (step.op === 'beginSync') return begin(step.uid);
    else if (step.op === 'endSync') {
      syncs.get(step.uid)?.end(step.outcome);
      syncs.delete(step.uid);
      signals.delete(step.uid);
      await clock.settle();
      return { workerEnded: workers.explain(step.uid)?.finished ?? true };
    } else {
      const known = workers.syncKnownPods(step.desired.map((uid) => ({ metadata: { uid } })));
      return { workers: Object.fromEntries(known) };
    }
    return {};
  };

  let before: Record<string, string> = {};
  const output: object[] = [];
  for (const step of steps) {
    const result = await run(step);
    const states = uids.map((uid) => {
      const state = {
        IsPodKnownTerminated: workers.isPodKnownTerminated(uid),
        CouldHaveRunningContainers: workers.couldHaveRunningContainers(uid),
        ShouldPodBeFinished: workers.shouldPodBeFinished(uid),
        IsPodTerminationRequested: workers.isPodTerminationRequested(uid),
        ShouldPodContainersBeTerminating: workers.shouldPodContainersBeTerminating(uid),
        ShouldPodRuntimeBeRemoved: workers.shouldPodRuntimeBeRemoved(uid),
        ShouldPodContentBeRemoved: workers.shouldPodContentBeRemoved(uid),
        currentSyncCanceled: signals.get(uid)?.aborted ?? false,
        hasPendingUpdate: workers.explain(uid)?.updatePending ?? false,
        known: workers.explain(uid) !== undefined,
      };
      return [uid, state] as const;
    });
    output.push({
      ...result,
      ...(requeued.length > 0 && { requeue: requeued.join() }),
      completed: completed.splice(0).sort((a, b) => a - b),
      stateChanges: Object.fromEntries(states.filter(([uid, state]) => JSON.stringify(state) !== before[uid])),
      mirrorStaticTerminating: workers.isPodForMirrorPodTerminatingByFullName('static_prod'),
    });
    requeued.length = 0;
    before = Object.fromEntries(states.map(([uid, state]) => [uid, JSON.stringify(state)]));
    await clock.advance(1000);
  }
  return output;
}

/** The delay as recorded: with its jitter, which adds up to a half. */
const delayClass = (ms: number) => (ms === 0 ? 'now' : `${ms / 1000}s..${(1.5 * ms) / 1000}s`);

export const podWorkersAdapters: Adapter[] = [
  defineAdapter('pod-workers', replay, { masks: [neverClosedCompletions, runtimePodKill, evictFlag] }),
  defineAdapter(
    'effective-grace-period',
    (input: {
      recordedGracePeriod: number;
      deletionGracePeriodSeconds: number | null;
      override: number | null;
      terminationGracePeriodSeconds: number | null;
    }) => effectiveGracePeriod({ ...input, recorded: input.recordedGracePeriod }),
  ),
];
