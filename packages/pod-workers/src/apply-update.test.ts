import type { Pod, RuntimePod, UpdatePodOptions } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { applyUpdate, updateTarget } from './apply-update.js';
import type { PodWorkerRecord } from './record.js';

const pod = (phase = 'Running', extra: Partial<NonNullable<Pod['metadata']>> = {}): Pod => ({
  metadata: { uid: 'u', name: 'web', namespace: 'ns', ...extra },
  spec: { containers: [], terminationGracePeriodSeconds: 30 },
  status: { phase },
});
const runningPod: RuntimePod = { uid: 'u', name: 'web', namespace: 'ns', containers: [], sandboxes: [] };
const call = () => {};

function apply(record: PodWorkerRecord | undefined, options: UpdatePodOptions, nothingRuns = false) {
  const target = updateTarget(options);
  if (target === undefined) throw new Error('illegal update');
  return applyUpdate(record, target, options, 100, nothingRuns);
}

const running = () => {
  const { pending, ...record } = apply(undefined, { type: 'create', pod: pod() }).record;
  return { ...record, startedAt: 1, active: { pod: pending?.pod ?? pod() } };
};

describe('updateTarget', () => {
  it('accepts a pod that only the runtime knows only in a kill', () => {
    expect(updateTarget({ type: 'kill', runningPod })).toEqual({ uid: 'u', fullName: 'web_ns', runtimePod: true });
    expect(updateTarget({ type: 'update', runningPod })).toBeUndefined();
    expect(updateTarget({ type: 'kill' })).toBeUndefined();
  });
});

describe('a new pod', () => {
  it('waits for its first sync', () => {
    const { record, accepted, cancelSync } = apply(undefined, { type: 'create', pod: pod() });
    expect([accepted, cancelSync, record.pending?.type, record.terminatingAt]).toEqual([true, false, 'create', undefined]);
  });

  it('with a terminal phase starts as terminated, or as terminating if containers run', () => {
    expect(apply(undefined, { type: 'create', pod: pod('Succeeded') }, true).record).toMatchObject({
      terminatingAt: 100,
      terminatedAt: 100,
      startedTerminating: true,
      finished: false,
    });
    const { record } = apply(undefined, { type: 'create', pod: pod('Failed') }, false);
    expect([record.terminatingAt, record.terminatedAt, record.startedTerminating]).toEqual([100, undefined, false]);
  });
});

describe('termination', () => {
  it('starts with a deletion, a terminal phase or a kill, and cancels the running sync', () => {
    const deleted = apply(running(), { type: 'update', pod: pod('Running', { deletionTimestamp: '2026-01-01T00:00:00Z' }) });
    expect(deleted).toMatchObject({ cancelSync: true, record: { terminatingAt: 100, deleted: true, evicted: false, gracePeriod: 30 } });
    expect(apply(running(), { type: 'update', pod: pod('Failed') })).toMatchObject({ cancelSync: true, record: { deleted: false } });
    const evicted = apply(running(), { type: 'kill', pod: pod(), killOptions: { evict: true, gracePeriodOverride: 3 } });
    expect(evicted.record).toMatchObject({
      evicted: true,
      gracePeriod: 3,
      pending: { killOptions: { evict: true, gracePeriodOverride: 3 } },
    });
  });

  it('restarts a running kill only when the grace period shrinks', () => {
    const { record } = apply(running(), { type: 'kill', pod: pod() });
    expect(apply(record, { type: 'kill', pod: pod(), killOptions: { gracePeriodOverride: 60 } })).toMatchObject({
      cancelSync: false,
      record: { gracePeriod: 30 },
    });
    expect(apply(record, { type: 'kill', pod: pod(), killOptions: { gracePeriodOverride: 5 } })).toMatchObject({
      cancelSync: true,
      record: { gracePeriod: 5 },
    });
  });

  it('keeps all callbacks and the last status function when a later update replaces the pending one', () => {
    const [one, two] = [() => {}, () => {}];
    const [first, last] = [(status: object) => status, (status: object) => status];
    let { record } = apply(running(), { type: 'kill', pod: pod(), killOptions: { onCompleted: one, podStatusFunc: first } });
    record = apply(record, { type: 'kill', pod: pod(), killOptions: { onCompleted: two, podStatusFunc: last } }).record;
    record = apply(record, { type: 'update', pod: pod() }).record;
    expect(record.onCompleted).toEqual([one, two]);
    expect(record.podStatusFunc).toBe(last);
    expect(record.pending?.killOptions).toEqual({ gracePeriodOverride: 30 });
  });

  it('completes a kill of a terminated pod at once', () => {
    const terminated = { ...running(), terminatingAt: 1, terminatedAt: 2 };
    const decision = apply(terminated, { type: 'kill', pod: pod(), killOptions: { onCompleted: call } });
    expect(decision).toMatchObject({ accepted: true, completed: [call], abandoned: [] });
    expect(decision.record.pending?.killOptions).toBeUndefined();
    expect(apply({ ...terminated, finished: true }, { type: 'kill', pod: pod(), killOptions: { onCompleted: call } })).toMatchObject({
      accepted: false,
      completed: [],
      abandoned: [call],
    });
  });

  it('records that the pod was created again', () => {
    const terminating = { ...running(), terminatingAt: 1 };
    const decision = apply(terminating, { type: 'create', pod: pod() });
    expect([decision.accepted, decision.record.restartRequested]).toEqual([false, true]);
  });
});

describe('a pod that only the runtime knows', () => {
  it('is killed', () => {
    const { record, accepted } = apply(undefined, { type: 'kill', runningPod });
    expect(accepted).toBe(true);
    expect(record).toMatchObject({ observedRuntime: true, deleted: true, terminatingAt: 100, gracePeriod: 1, pending: { runningPod } });
  });

  it('is replaced by the pod that the worker knows', () => {
    const { record } = apply(running(), { type: 'kill', runningPod });
    expect(record.pending?.pod).toBe(record.active?.pod);
    expect(record.pending?.runningPod).toBeUndefined();
    expect(record.gracePeriod).toBe(30);
  });

  it('is ignored once the pod has terminated', () => {
    expect(apply({ ...running(), terminatingAt: 1, terminatedAt: 2 }, { type: 'kill', runningPod }).accepted).toBe(false);
  });
});

it('keeps the earlier start time of an update that it replaces', () => {
  const { record } = apply(undefined, { type: 'create', pod: pod(), startTime: 5 });
  expect(apply(record, { type: 'update', pod: pod(), startTime: 9 }).record.pending?.startTime).toBe(5);
  expect(apply(record, { type: 'update', pod: pod(), startTime: 2 }).record.pending?.startTime).toBe(2);
  expect(apply(record, { type: 'update', pod: pod() }).record.pending?.startTime).toBeUndefined();
});

it('never changes the given record', () => {
  const record = Object.freeze(running());
  const before = JSON.stringify(record);
  apply(record, { type: 'kill', pod: pod(), killOptions: { onCompleted: call, evict: true } });
  expect(JSON.stringify(record)).toBe(before);
});
