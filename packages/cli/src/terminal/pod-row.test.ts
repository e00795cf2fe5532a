import type { ContainerState, ContainerStatus, Pod, PodStatus } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { podRow, podStatusText } from './pod-row.js';

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
const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };
const pod: Pod = { metadata: { name: 'web', namespace: 'prod', uid: 'u' }, spec: { containers: [{ name: 'a' }, { name: 'b' }] } };

describe('podStatusText', () => {
  const cases: [string, Pod, PodStatus][] = [
    ['Pending', pod, {}],
    ['Running', pod, { phase: 'Running', containerStatuses: [container('a', running)] }],
    [
      'CrashLoopBackOff',
      pod,
      { phase: 'Running', containerStatuses: [container('a', running), container('b', { waiting: { reason: 'CrashLoopBackOff' } })] },
    ],
    ['Error', pod, { phase: 'Running', containerStatuses: [container('a', { terminated: { exitCode: 1, reason: 'Error' } })] }],
    ['ExitCode:3', pod, { phase: 'Failed', containerStatuses: [container('a', { terminated: { exitCode: 3 } })] }],
    ['Completed', pod, { phase: 'Succeeded', containerStatuses: [container('a', { terminated: { exitCode: 0, reason: 'Completed' } })] }],
    ['Evicted', pod, { phase: 'Failed', reason: 'Evicted' }],
    ['Terminating', { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, { phase: 'Running' }],
  ];
  it.each(cases)('%s', (text, given, status) => {
    expect(podStatusText(given, status)).toBe(text);
  });

  const withInit: Pod = {
    ...pod,
    spec: { containers: [{ name: 'a' }], initContainers: [{ name: 'one' }, { name: 'side', restartPolicy: 'Always' }] },
  };
  const initCases: [string, ContainerStatus[]][] = [
    ['Init:0/2', [container('one', running), container('side', { waiting: { reason: 'PodInitializing' } })]],
    ['Init:Error', [container('one', { terminated: { exitCode: 1, reason: 'Error' } })]],
    ['Init:1/2', [container('one', { terminated: { exitCode: 0 } }), container('side', running)]],
    ['Running', [container('one', { terminated: { exitCode: 0 } }), container('side', running, { started: true })]],
  ];
  it.each(initCases)('%s', (text, initContainerStatuses) => {
    expect(podStatusText(withInit, { phase: 'Running', initContainerStatuses })).toBe(text);
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
