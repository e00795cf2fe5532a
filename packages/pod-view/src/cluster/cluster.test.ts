import { describe, expect, it } from 'vitest';
import { changedPods } from './changed-pods.js';
import { clusterVerdict } from './cluster-verdict.js';
import { nodeModel } from './node-model.js';
import { podDetails } from './pod-details.js';
import { createPodModels, podModel } from './pod-model.js';
import { workloadModel } from './workload-model.js';

const now = Date.parse('2026-01-01T01:00:00Z');
const crashed = { exitCode: 3, reason: 'Error', finishedAt: '2026-01-01T00:59:30Z' };
const crashing = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { nodeName: 'node-1', initContainers: [{ name: 'setup', image: 'setup:1' }], containers: [{ name: 'main', image: 'web:1' }] },
  status: {
    phase: 'Running' as const,
    conditions: [
      { type: 'Ready', status: 'False' as const, reason: 'ContainersNotReady', message: 'containers with unready status: [main]' },
    ],
    initContainerStatuses: [
      {
        ...{ name: 'setup', image: 'setup:1', imageID: '', ready: true, restartCount: 0 },
        state: { terminated: { exitCode: 0, reason: 'Completed' } },
      },
    ],
    containerStatuses: [
      {
        ...{ name: 'main', image: 'web:1', imageID: '', ready: false, restartCount: 2 },
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s' } },
        lastState: { terminated: crashed },
      },
    ],
  },
};

describe('a node', () => {
  const node = (ready: 'True' | 'False' | 'Unknown', more: { type: string; status: 'True' }[] = [], unschedulable = false) => ({
    ...{ name: 'node-1', isUp: true, isPartitioned: false },
    object: { spec: { unschedulable }, status: { conditions: [{ type: 'Ready', status: ready }, ...more] } },
  });

  it.each([
    [node('True'), 'good', 'Ready'],
    [node('True', [{ type: 'MemoryPressure', status: 'True' }]), 'waiting', 'Ready, MemoryPressure'],
    [node('True', [], true), 'good', 'Ready, cordoned'],
    [node('False'), 'bad', 'NotReady'],
    [node('Unknown'), 'bad', 'Unknown'],
    [{ ...node('True'), isUp: false }, 'bad', 'Ready, agent down'],
    [{ ...node('True'), isPartitioned: true }, 'bad', 'Ready, partitioned'],
    [{ ...node('True'), object: undefined }, 'bad', 'deleted'],
  ])('%# has the level and the words of its conditions', (input, level, status) => {
    expect(nodeModel(input)).toMatchObject({ name: 'node-1', level, status });
  });
});

it('a pod has what kubectl prints, and the level of its explanation', () => {
  expect(podModel(crashing, now)).toEqual({
    ...{ id: 'u1', namespace: 'shop', name: 'web', node: 'node-1', level: 'bad', ready: '0/1', status: 'CrashLoopBackOff', restarts: 2 },
    containers: ['setup', 'main'],
  });
});

it('a pod opens to its explanation, conditions, containers with logs, and events, newest first', () => {
  const event = (reason: string, type: string, at: string) => ({ reason, type, message: `${reason} it`, lastTimestamp: at, count: 2 });
  const events = [event('Started', 'Normal', '2026-01-01T00:59:00Z'), event('BackOff', 'Warning', '2026-01-01T00:59:40Z')];
  const details = podDetails(crashing, { now, events, logs: (container) => [`log of ${container}`] });
  expect(details.sentence).toMatch(/^Container main exited with 3 \(Error\) 30s ago/);
  expect(details.conditions).toEqual([
    { type: 'Ready', status: 'False', text: 'ContainersNotReady: containers with unready status: [main]' },
  ]);
  expect(details.containers).toEqual([
    { name: 'setup', image: 'setup:1', state: 'exited with 0 (Completed)', restarts: 0, logs: ['log of setup'] },
    { name: 'main', image: 'web:1', state: 'waits: CrashLoopBackOff: back-off 20s', restarts: 2, logs: ['log of main'] },
  ]);
  expect(details.events).toEqual([
    { at: now - 20_000, count: 2, warning: true, text: 'BackOff: BackOff it' },
    { at: now - 60_000, count: 2, warning: false, text: 'Started: Started it' },
  ]);
});

it.each([
  [{ kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 3 }, status: { readyReplicas: 2 } }, 2, 3],
  [{ kind: 'DaemonSet', status: { numberReady: 4, desiredNumberScheduled: 5 } }, 4, 5],
  [{ kind: 'Job', spec: { completions: 2 }, status: { succeeded: 1 } }, 1, 2],
  [{ kind: 'Job' }, 0, 1],
])('a workload counts its ready and desired pods: %j', (workload, ready, desired) => {
  expect(workloadModel(workload)).toMatchObject({ ready, desired });
});

it('a verdict counts what needs attention, then what is not ready yet', () => {
  const all = (count: number, level: 'good' | 'bad' | 'waiting' | 'done') => Array.from({ length: count }, () => ({ level }));
  const textOf = (...args: Parameters<typeof clusterVerdict>) => clusterVerdict(...args).text;
  expect(textOf(all(3, 'good'), [])).toBe('no pods');
  expect(textOf(all(3, 'good'), [...all(2, 'good'), ...all(1, 'done')])).toBe('all nodes and pods are healthy');
  expect(textOf(all(3, 'good'), [...all(2, 'good'), ...all(1, 'waiting')])).toBe('1 of 3 pods is not ready yet');
  expect(textOf(all(3, 'good'), all(1, 'bad'))).toBe('1 of 1 pod needs attention');
  expect(clusterVerdict([...all(1, 'bad'), ...all(2, 'good')], all(2, 'bad'))).toEqual({
    level: 'bad',
    text: '1 of 3 nodes and 2 of 2 pods need attention',
  });
});

it('a pod keeps its model until its resourceVersion changes, so that only changed pods differ', () => {
  const pod = (name: string, resourceVersion: string) => ({ metadata: { name, uid: name, resourceVersion } });
  const read = createPodModels();
  const byId = (...pods: ReturnType<typeof pod>[]) => new Map(read(pods, now).map((model) => [model.id, model]));
  const before = byId(pod('a', '1'), pod('b', '2'), pod('c', '3'));
  const after = byId(pod('a', '1'), pod('b', '4'), pod('d', '5'));
  expect(after.get('a')).toBe(before.get('a'));
  expect(changedPods(before, after)).toEqual({ pods: [after.get('b'), after.get('d')], removed: ['c'] });
  expect(changedPods(after, after)).toEqual({});
});
