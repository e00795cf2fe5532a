import type { Pod } from '@nodeagent/api';
import { configSourceAnnotation } from '@nodeagent/api/helpers';
import { describe, expect, it } from 'vitest';
import { createPodWorkerQueries } from './queries.js';
import { createPodWorkerTable, type PodWorkerTable } from './worker-table.js';

const pod = (uid: string, name = uid, source = 'api', phase = 'Running'): Pod => ({
  metadata: { uid, name, namespace: 'ns', annotations: { [configSourceAnnotation]: source } },
  spec: { containers: [] },
  status: { phase },
});

function turn(table: PodWorkerTable, uid: string, outcome = {}) {
  const start = table.beginSync(uid, 1);
  if (start.kind !== 'work') return start.kind;
  table.acknowledgeTerminating(uid);
  table.endSync(uid, start.work, outcome, 2);
  return start.work.type;
}

describe('the lifecycle of a pod', () => {
  it('passes from sync to terminating to terminated, and stays there until it is forgotten', () => {
    const table = createPodWorkerTable();
    const queries = createPodWorkerQueries(table);
    table.update({ type: 'create', pod: pod('a') }, 0);
    expect([turn(table, 'a'), turn(table, 'a')]).toEqual(['SyncPod', 'idle']);
    table.update({ type: 'kill', pod: pod('a') }, 0);
    expect([turn(table, 'a', { error: new Error('stuck') }), turn(table, 'a')]).toEqual(['TerminatingPod', 'idle']);
    expect(table.requeue('a')).toBe(true);
    expect([turn(table, 'a'), turn(table, 'a'), turn(table, 'a')]).toEqual(['TerminatingPod', 'TerminatedPod', 'idle']);
    expect([queries.isPodKnownTerminated('a'), queries.shouldPodBeFinished('a')]).toEqual([true, true]);
    table.update({ type: 'update', pod: pod('a') }, 0);
    expect([turn(table, 'a'), table.requeue('a')]).toEqual(['idle', false]);
    expect(table.syncKnownPods([pod('a')], 3).known.size).toBe(1);
    expect(table.syncKnownPods([], 3).forgotten).toEqual(['a']);
  });

  it('terminates after a terminal sync, with its containers reported as terminating at once', () => {
    const table = createPodWorkerTable();
    table.update({ type: 'create', pod: pod('a') }, 0);
    turn(table, 'a', { terminal: true });
    expect(table.record('a')).toMatchObject({ terminatingAt: 2, startedTerminating: true, pending: { type: 'sync' } });
    expect([turn(table, 'a'), turn(table, 'a')]).toEqual(['TerminatingPod', 'TerminatedPod']);
  });

  it('ends with the kill for a pod that only the runtime knows', () => {
    const table = createPodWorkerTable();
    const runningPod = { uid: 'r', name: 'r', namespace: 'ns', containers: [], sandboxes: [] };
    table.update({ type: 'kill', runningPod }, 0);
    expect(turn(table, 'r')).toBe('TerminatingPod');
    expect(table.size).toBe(0);
  });

  it('restarts after the termination if the pod was created again', () => {
    const table = createPodWorkerTable();
    table.update({ type: 'create', pod: pod('a') }, 0);
    turn(table, 'a');
    table.update({ type: 'kill', pod: pod('a') }, 0);
    table.update({ type: 'create', pod: pod('a') }, 0);
    expect(table.syncKnownPods([pod('a')], 1).forgotten).toEqual([]);
    turn(table, 'a');
    turn(table, 'a');
    expect(table.syncKnownPods([pod('a')], 1).forgotten).toEqual(['a']);
    table.update({ type: 'create', pod: pod('a') }, 0);
    expect(turn(table, 'a')).toBe('SyncPod');
  });
});

describe('static pods', () => {
  const first = pod('s1', 'static', 'file');
  const second = pod('s2', 'static', 'file');

  it('wait until the previous pod of their name has finished', () => {
    const table = createPodWorkerTable();
    table.update({ type: 'create', pod: first }, 0);
    table.update({ type: 'create', pod: second }, 0);
    expect([turn(table, 's2'), turn(table, 's1'), turn(table, 's2')]).toEqual(['later', 'SyncPod', 'later']);
    table.update({ type: 'kill', pod: first }, 0);
    expect(table.isPodForMirrorPodTerminatingByFullName('static_ns')).toBe(true);
    expect([turn(table, 's1'), turn(table, 's2'), turn(table, 's1'), turn(table, 's2')]).toEqual([
      'TerminatingPod',
      'later',
      'TerminatedPod',
      'SyncPod',
    ]);
    expect(table.isPodForMirrorPodTerminatingByFullName('static_ns')).toBe(false);
  });

  it('never start after they were killed', () => {
    const table = createPodWorkerTable();
    table.update({ type: 'create', pod: first }, 0);
    table.update({ type: 'create', pod: second }, 0);
    turn(table, 's1');
    table.update({ type: 'kill', pod: second }, 0);
    expect([turn(table, 's2'), table.record('s2')?.finished]).toEqual(['never', true]);
  });
});

describe('syncKnownPods', () => {
  it('forgets pods that never started, terminates running ones, and returns the known ones to housekeeping', () => {
    const table = createPodWorkerTable();
    table.update({ type: 'create', pod: pod('new') }, 0);
    table.update({ type: 'create', pod: pod('old') }, 0);
    turn(table, 'old');
    const decision = table.syncKnownPods([], 5);
    expect(decision.forgotten).toEqual(['new']);
    expect(decision.scheduled).toEqual(['old']);
    expect([...decision.known]).toEqual([['old', { state: 'TerminatingPod', orphan: true, hasConfig: true, static: false }]]);
    expect(table.record('old')).toMatchObject({ deleted: true, terminatingAt: 5, gracePeriod: 1 });
  });

  it('keeps a pod that only the runtime has until it is killed', () => {
    const table = createPodWorkerTable();
    const runningPod = { uid: 'r', name: 'r', namespace: 'ns', containers: [], sandboxes: [] };
    table.update({ type: 'kill', runningPod }, 0);
    expect(turn(table, 'r', { error: new Error('busy') })).toBe('TerminatingPod');
    expect(table.syncKnownPods([], 5)).toMatchObject({ forgotten: [], scheduled: ['r'] });
    expect(turn(table, 'r')).toBe('TerminatingPod');
  });

  it('returns the callbacks of forgotten pods', () => {
    const table = createPodWorkerTable();
    const onCompleted = () => {};
    table.update({ type: 'kill', pod: pod('a'), killOptions: { onCompleted } }, 0);
    expect(table.syncKnownPods([], 5).abandoned).toEqual([onCompleted]);
  });
});

describe('unknown pods', () => {
  it('may be running until the desired pods are known', () => {
    const table = createPodWorkerTable();
    const queries = createPodWorkerQueries(table);
    const answers = () => [
      queries.isPodKnownTerminated('x'),
      queries.couldHaveRunningContainers('x'),
      queries.shouldPodBeFinished('x'),
      queries.isPodTerminationRequested('x'),
      queries.shouldPodContainersBeTerminating('x'),
      queries.shouldPodRuntimeBeRemoved('x'),
      queries.shouldPodContentBeRemoved('x'),
    ];
    expect(answers()).toEqual([false, true, false, false, false, false, false]);
    table.syncKnownPods([], 0);
    expect(answers()).toEqual([false, false, true, false, true, true, true]);
  });
});
