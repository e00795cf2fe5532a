import { configSourceAnnotation, type Pod, type PodUpdateType, type UpdatePodOptions } from '@nodeagent/api';
import {
  createPodWorkerQueries,
  createPodWorkerTable,
  effectiveGracePeriod,
  type PodWork,
  requeueDelay,
  type SyncOutcome,
} from '@nodeagent/pod-workers/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

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

const outcomes: Record<Extract<Step, { op: 'endSync' }>['outcome'], SyncOutcome> = {
  ok: {},
  error: { error: new Error('sync failed') },
  networkNotReady: { error: new Error('network is not ready: not yet') },
  canceled: { error: new Error('context canceled') },
  terminal: { terminal: true },
};

const delayClass = (ms: number) => (ms === 0 ? 'now' : `${ms / 1000}s..${(1.5 * ms) / 1000}s`);

function replay({ backOffPeriodSeconds, resyncIntervalSeconds, steps }: Input) {
  const settings = { backOffPeriodMs: backOffPeriodSeconds * 1000, resyncIntervalMs: resyncIntervalSeconds * 1000 };
  const table = createPodWorkerTable();
  const queries = createPodWorkerQueries(table);
  const running = new Map<string, { work: PodWork; cancelled: boolean }>();
  let completed: number[] = [];
  let now = 0;
  let before: Record<string, string> = {};

  const run = (step: Step): Record<string, unknown> => {
    if (step.op === 'update') {
      const { uid, updateType: type, runningPodOnly, kill } = step;
      const options: UpdatePodOptions = { type };
      if (runningPodOnly) {
        options.runningPod = { uid, name: uid === 'a' ? 'a' : 'static', namespace: 'prod', containers: [], sandboxes: [] };
      } else if (step.pod) options.pod = pod(uid, step.pod);
      if (kill) {
        const { completionId, evict, gracePeriodOverride } = kill;
        options.killOptions = {
          evict,
          ...(gracePeriodOverride !== null && { gracePeriodOverride }),
          ...(completionId !== null && { onCompleted: () => void completed.push(completionId) }),
        };
      }
      const decision = table.update(options, now);
      for (const call of decision?.completed ?? []) call();
      const sync = running.get(uid);
      if (decision?.cancelSync && sync) sync.cancelled = true;
      return {};
    }
    if (step.op === 'beginSync') {
      const { uid } = step;
      const start = table.beginSync(uid, now);
      if (start.kind === 'idle') return { ok: false, canStart: false, canEverStart: false };
      if (start.kind === 'never') return { ok: true, canStart: false, canEverStart: false };
      if (start.kind === 'later') return { ok: true, canStart: false, canEverStart: true, requeue: delayClass(settings.backOffPeriodMs) };
      const { work } = start;
      running.set(uid, { work, cancelled: false });
      const terminating = work.type === 'TerminatingPod';
      if (terminating) table.acknowledgeTerminating(uid);
      return {
        ok: true,
        canStart: true,
        canEverStart: true,
        workType: work.type,
        updateType: work.update.type,
        runtimePod: work.update.runningPod !== undefined,
        gracePeriodOverride: (terminating && work.update.killOptions?.gracePeriodOverride) || null,
        evict: (terminating && work.update.killOptions?.evict) || false,
      };
    }
    if (step.op === 'endSync') {
      const work = running.get(step.uid)?.work;
      running.delete(step.uid);
      if (work === undefined) throw new Error(`no sync of ${step.uid} is running`);
      const outcome = outcomes[step.outcome];
      const completion = table.endSync(step.uid, work, outcome, now);
      for (const call of completion?.completed ?? []) call();
      const ended = completion?.ended ?? false;
      const delay = requeueDelay({ error: outcome.error, phaseTransition: completion?.phaseTransition ?? false }, settings, now);
      return { workerEnded: ended, ...(!ended && { requeue: delayClass(delay) }) };
    }
    const { known } = table.syncKnownPods(
      step.desired.map((uid) => ({ metadata: { uid } })),
      now,
    );
    return { workers: Object.fromEntries(known) };
  };

  return steps.map((step) => {
    completed = [];
    const result = run(step);
    now += 1000;
    const states = Object.fromEntries(
      uids.map((uid) => [
        uid,
        {
          IsPodKnownTerminated: queries.isPodKnownTerminated(uid),
          CouldHaveRunningContainers: queries.couldHaveRunningContainers(uid),
          ShouldPodBeFinished: queries.shouldPodBeFinished(uid),
          IsPodTerminationRequested: queries.isPodTerminationRequested(uid),
          ShouldPodContainersBeTerminating: queries.shouldPodContainersBeTerminating(uid),
          ShouldPodRuntimeBeRemoved: queries.shouldPodRuntimeBeRemoved(uid),
          ShouldPodContentBeRemoved: queries.shouldPodContentBeRemoved(uid),
          currentSyncCanceled: running.get(uid)?.cancelled ?? false,
          hasPendingUpdate: table.record(uid)?.pending !== undefined,
          known: table.record(uid) !== undefined,
        },
      ]),
    );
    const changes = Object.fromEntries(Object.entries(states).filter(([uid, state]) => JSON.stringify(state) !== before[uid]));
    before = Object.fromEntries(Object.entries(states).map(([uid, state]) => [uid, JSON.stringify(state)]));
    return {
      ...result,
      completed: completed.sort((a, b) => a - b),
      stateChanges: changes,
      mirrorStaticTerminating: table.isPodForMirrorPodTerminatingByFullName('static_prod'),
    };
  });
}

export const podWorkersAdapters: Adapter[] = [
  defineAdapter('pod-workers', replay),
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
