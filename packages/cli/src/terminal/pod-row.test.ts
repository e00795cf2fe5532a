import type { ContainerState, ContainerStatus, Pod, PodStatus } from '@nodeagent/api';
import type { PodView } from '@nodeagent/core/node';
import { podLine } from '@nodeagent/node-page/decisions';
import { describe, expect, it } from 'vitest';
import { podRow } from './pod-row.js';

const now = Date.UTC(2026, 0, 1, 0, 5);
const container = (name: string, state: ContainerState, extra: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  state,
  ready: state.running !== undefined,
  restartCount: 0,
  image: 'host:1',
  imageID: '',
  ...extra,
});
const none = () => undefined;
const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };
const pod: Pod = { metadata: { name: 'web', namespace: 'prod', uid: 'u' }, spec: { containers: [{ name: 'a' }, { name: 'b' }] } };

const rowOf = (given: Pod, status: PodStatus, state: PodView['state'] = 'SyncPod') =>
  podRow({ pod: given, status, state, lastEvent: undefined }, now);

describe('the columns of a row are those of kubectl get pods:', () => {
  const ended = (reason: string, exitCode: number): ContainerState => ({
    terminated: { reason, exitCode, finishedAt: '2026-01-01T00:02:00Z' },
  });
  const lastState = ended('Error', 1);
  const waiting = { waiting: { reason: 'CrashLoopBackOff' } };
  const withInit: Pod = { ...pod, spec: { containers: [{ name: 'a' }], initContainers: [{ name: 'one' }, { name: 'two' }] } };
  const deleted: Pod = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  it.each<[string, Pod, PodStatus]>([
    [
      '0/2 CrashLoopBackOff 3 (3m ago)',
      pod,
      { phase: 'Running', containerStatuses: [container('a', waiting, { restartCount: 3, lastState })] },
    ],
    [
      '0/2 OOMKilled 0',
      pod,
      { phase: 'Running', containerStatuses: [container('a', ended('Completed', 0)), container('b', ended('OOMKilled', 137))] },
    ],
    ['1/2 NotReady 0', pod, { phase: 'Running', containerStatuses: [container('a', ended('Completed', 0)), container('b', running)] }],
    [
      '0/1 Init:Signal:9 0',
      withInit,
      { phase: 'Pending', initContainerStatuses: [container('one', { terminated: { exitCode: 137, signal: 9 } })] },
    ],
    ['1/2 Terminating 0', deleted, { phase: 'Running', containerStatuses: [container('a', running)] }],
    ['0/2 Unknown 0', deleted, { phase: 'Running', reason: 'NodeLost' }],
    ['0/2 Failed 0', deleted, { phase: 'Failed' }],
  ])('%s', (columns, given, status) => {
    const { ready, status: text, restarts } = rowOf(given, status);
    expect(`${ready} ${text} ${restarts}`).toBe(columns);
  });

  it('Terminating while the agent stops a pod that has no deletion time', () => {
    expect(rowOf(pod, { phase: 'Running' }, 'TerminatingPod').status).toBe('Terminating');
    expect(rowOf(pod, { phase: 'Failed', reason: 'Evicted' }, 'TerminatingPod').status).toBe('Evicted');
  });

  it('the age since the creation, or since the agent saw a pod that is from no API server', () => {
    const created: Pod = { ...pod, metadata: { ...pod.metadata, creationTimestamp: '2026-01-01T00:01:00Z' } };
    expect(rowOf(created, { startTime: '2026-01-01T00:02:00Z' }).age).toBe('4m');
    expect(rowOf(pod, { startTime: '2026-01-01T00:02:00Z' }).age).toBe('3m');
    expect(rowOf(pod, {}).age).toBe('-');
  });
});

it('counts containers, sidecars and restarts', () => {
  const given: Pod = {
    ...pod,
    spec: { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'side', restartPolicy: 'Always' }] },
  };
  const status: PodStatus = {
    phase: 'Running',
    startTime: '2026-01-01T00:00:00Z',
    initContainerStatuses: [container('side', running, { started: true, restartCount: 2 })],
    containerStatuses: [container('a', running, { restartCount: 1 }), container('b', { waiting: {} })],
  };
  expect(podRow({ pod: given, status, state: 'SyncPod', lastEvent: undefined }, now)).toMatchObject({
    name: 'prod/web',
    ready: '2/3',
    restarts: '3',
    age: '5m',
    lastEvent: '-',
  });
});

it('shows the last event and its age', () => {
  const lastEvent = { at: now - 3_000, object: {}, type: 'Normal' as const, reason: 'Started', message: 'Container started' };
  expect(podRow({ pod, status: {}, state: undefined, lastEvent }, now).lastEvent).toBe('3s ago Started: Container started');
});

describe('a pod has the same status and health as on the node page:', () => {
  const page = { explain: () => undefined, pulls: () => [], probeResults: { liveness: none, readiness: none, startup: none } };
  const crashed = { terminated: { exitCode: 3, reason: 'Error', finishedAt: '2026-01-01T00:04:00Z' } };
  const colours = { bad: 'bad', warn: 'waiting', busy: 'waiting', ending: 'waiting', ok: 'good', done: 'good' };

  it.each<[string, PodStatus]>([
    ['running', { phase: 'Running', containerStatuses: [container('a', running), container('b', running)] }],
    ['created', { phase: 'Pending', containerStatuses: [container('a', { waiting: { reason: 'ContainerCreating' } })] }],
    ['exited with an error', { phase: 'Running', containerStatuses: [container('a', crashed), container('b', running)] }],
    [
      'restarted just now',
      { phase: 'Running', containerStatuses: [container('a', running, { restartCount: 1, lastState: crashed }), container('b', running)] },
    ],
    ['without an image', { phase: 'Pending', containerStatuses: [container('a', { waiting: { reason: 'ErrImageNeverPull' } })] }],
    ['evicted', { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }],
  ])('%s', (_, status) => {
    const view = { pod, status, state: 'SyncPod' as const };
    const { status: text, health } = podLine(view, page, now);
    expect(rowOf(pod, status)).toMatchObject({ status: text, health: colours[health.level] });
  });

  it('with the error of its last sync', () => {
    const status: PodStatus = { phase: 'Pending', containerStatuses: [container('a', { waiting: { reason: 'ContainerCreating' } })] };
    const view = { pod, status, state: 'SyncPod' as const, lastEvent: undefined };
    expect(podRow({ ...view, syncError: 'cannot mount volume "data"' }, now).health).toBe('bad');
    expect(podRow(view, now).health).toBe('waiting');
  });
});

describe('the health of a pod', () => {
  const healthOf = (status: PodStatus) =>
    podRow({ pod, status: { phase: 'Running', ...status }, state: 'SyncPod', lastEvent: undefined }, now).health;
  const completed = container('b', { terminated: { exitCode: 0, reason: 'Completed' } });

  it.each<[string, PodStatus, string]>([
    ['runs', { containerStatuses: [container('a', running), container('b', running)] }, 'good'],
    ['fails its readiness probe', { containerStatuses: [container('a', running), container('b', running, { ready: false })] }, 'waiting'],
    ['has completed in part', { containerStatuses: [container('a', running), completed] }, 'good'],
    [
      'waits for a readiness gate',
      { containerStatuses: [container('a', running)], conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' }] },
      'waiting',
    ],
    ['crashes', { containerStatuses: [container('a', { waiting: { reason: 'CrashLoopBackOff' } })] }, 'bad'],
    ['has completed', { phase: 'Succeeded' }, 'good'],
    ['was evicted', { phase: 'Failed', reason: 'Evicted' }, 'bad'],
  ])('that %s', (_, status, health) => {
    expect(healthOf(status)).toBe(health);
  });

  it('of a sidecar that fails its readiness probe is not good', () => {
    const given: Pod = { ...pod, spec: { containers: [{ name: 'a' }], initContainers: [{ name: 'side', restartPolicy: 'Always' }] } };
    const status: PodStatus = {
      phase: 'Running',
      initContainerStatuses: [container('side', running, { started: true, ready: false })],
      containerStatuses: [container('a', running)],
    };
    expect(podRow({ pod: given, status, state: 'SyncPod', lastEvent: undefined }, now)).toMatchObject({
      status: 'Running',
      health: 'waiting',
    });
  });
});
