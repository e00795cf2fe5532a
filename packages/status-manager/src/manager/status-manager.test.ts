import { type Logger, type MetricLabels, type Metrics, noMetrics, type Pod, type PodStatus, silentLogger } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, vi } from 'vitest';
import { statusManagerErrorCodes } from '../errors.js';
import { generateApiPodStatus } from '../generate/generate-status.js';
import { aContainer, anInstance, aPod, aStatus, epoch, exited, generation, running, shortConditions, waiting } from '../test-builders.js';
import { createStatusManager, type StatusManagerOptions } from './status-manager.js';

function setUp(pods: Pod[] = [aPod()], more: Partial<StatusManagerOptions> & { mirror?: Pod } = {}) {
  const clock = createVirtualClock({ start: epoch });
  const { mirror, ...options } = more;
  const log = vi.fn();
  const logger: Logger = { ...silentLogger, error: log, warn: log, debug: log };
  const manager = createStatusManager({
    clock,
    pods: {
      podByUid: (uid) => pods.find(({ metadata }) => metadata?.uid === uid),
      mirrorPodByPod: () => mirror,
      translatePodUid: (uid) => (uid === mirror?.metadata?.uid ? (pods[0]?.metadata?.uid ?? uid) : uid),
    },
    logger,
    ...options,
  });
  const notified: [string, string | undefined][] = [];
  manager.onStatus((uid, status) => notified.push([uid, status?.phase]));
  const version = (uid = 'u-1') => manager.versionedStatus(uid)?.version;
  return { manager, clock, log, notified, version };
}

const ready: PodStatus = {
  phase: 'Running',
  conditions: [
    { type: 'Ready', status: 'True' },
    { type: 'ContainersReady', status: 'True' },
  ],
  containerStatuses: [aStatus('app', running, { ready: true, started: true, containerID: 'containerd://app-0' })],
};

describe('setting a status', () => {
  it('stores it as version 1, with start and transition times, and notifies listeners', async () => {
    const { manager, clock, notified } = setUp();
    await clock.advance(1_500);
    manager.setPodStatus(aPod(), ready);
    expect(manager.versionedStatus('u-1')).toMatchObject({
      version: 1,
      podName: 'web',
      podNamespace: 'prod',
      at: epoch + 1_500,
      podIsFinished: false,
      status: { startTime: '2026-01-01T00:00:01Z', conditions: [{ lastTransitionTime: '2026-01-01T00:00:01Z' }, {}] },
    });
    expect(notified).toEqual([['u-1', 'Running']]);
  });

  it('ignores a status that differs only in times', async () => {
    const { manager, clock, notified, version } = setUp();
    manager.setPodStatus(aPod(), ready);
    const stored = manager.getPodStatus('u-1');
    await clock.advance(60_000);
    manager.setPodStatus(aPod(), structuredClone(ready));
    expect([version(), notified.length]).toEqual([1, 1]);
    expect(manager.getPodStatus('u-1')).toBe(stored);
  });

  it('keeps the first start time, the transition times, and the time of the first unsent change', async () => {
    const { manager, clock, version } = setUp();
    manager.setPodStatus(aPod(), ready);
    await clock.advance(60_000);
    const later = {
      ...ready,
      message: 'new',
      startTime: '2026-06-01T00:00:00Z',
      conditions: [{ type: 'Ready', status: 'True', reason: 'R' }],
    };
    manager.setPodStatus(aPod(), later);
    expect(version()).toBe(2);
    expect(manager.versionedStatus('u-1')).toMatchObject({
      at: epoch,
      status: { startTime: '2026-01-01T00:00:00Z', conditions: [{ reason: 'R', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    });
  });

  it('never lowers the observed generation', () => {
    const { manager } = setUp();
    manager.setPodStatus(aPod(), { ...ready, observedGeneration: 3 });
    manager.setPodStatus(aPod(), { ...ready, observedGeneration: 2, message: 'm' });
    expect(manager.getPodStatus('u-1')).toMatchObject({ observedGeneration: 3, message: 'm' });
  });

  describe('compares a first status with', () => {
    const annotated = (year: number, annotations: Record<string, string>): Pod =>
      aPod({}, { metadata: { annotations }, status: { startTime: `${year}-01-01T00:00:00Z` } });
    const pod = annotated(2025, { 'kubernetes.io/config.hash': 'h2' });
    const mirrorOf = (hash: string) => annotated(2024, { 'kubernetes.io/config.mirror': hash });
    it.each([
      ['the mirror pod’s', { mirror: mirrorOf('h2') }, '2024-01-01T00:00:00Z'],
      ['the pod’s own, if the mirror is that of an earlier version', { mirror: mirrorOf('h1') }, '2025-01-01T00:00:00Z'],
      ['the pod’s own without a mirror', {}, '2025-01-01T00:00:00Z'],
    ])('%s', (_which, mirrors, startTime) => {
      const { manager } = setUp([pod], mirrors);
      manager.setPodStatus(pod, ready);
      expect(manager.getPodStatus('u-1')?.startTime).toBe(startTime);
    });
  });

  it('refuses one that restarts a container that may not restart, and logs an error', () => {
    const pod = aPod({ restartPolicy: 'Never' });
    const { manager, log, version } = setUp([pod]);
    manager.setPodStatus(pod, { phase: 'Running', containerStatuses: [aStatus('app', exited(0))] });
    manager.setPodStatus(pod, ready);
    expect([version(), log.mock.calls[0]?.[0].err.code]).toEqual([1, statusManagerErrorCodes.illegalTransition]);
  });

  it('stores an equal status as a new version while the pod is being deleted, so that it is sent', () => {
    const { manager, version } = setUp();
    const pod = aPod({}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    manager.setPodStatus(pod, ready);
    manager.setPodStatus(pod, ready);
    expect(version()).toBe(2);
  });

  it('does not modify the given status', () => {
    const { manager } = setUp();
    const given = Object.freeze({ ...ready, conditions: Object.freeze([...(ready.conditions ?? [])]) as typeof ready.conditions });
    manager.setPodStatus(aPod(), given);
    expect(given.conditions?.[0]).toEqual({ type: 'Ready', status: 'True' });
  });

  it('increases the version only for changed generated statuses', () => {
    const pod = aPod();
    const { manager, version } = setUp([pod]);
    const sync = (...instances: ReturnType<typeof anInstance>[]) =>
      manager.setPodStatus(pod, generateApiPodStatus(generation(pod, instances, { oldStatus: manager.getPodStatus('u-1') })).status);
    sync();
    sync();
    expect(version()).toBe(1);
    sync(anInstance('app', 'running'));
    sync(anInstance('app', 'running'));
    expect(version()).toBe(2);
  });
});

describe('a readiness or startup change of a container', () => {
  it('updates its readiness and the two conditions that depend on it', async () => {
    const { manager, clock, version } = setUp();
    manager.setPodStatus(aPod(), ready);
    await clock.advance(5_000);
    manager.setContainerReadiness('u-1', 'containerd://app-0', false);
    const status = manager.getPodStatus('u-1');
    expect(status?.containerStatuses?.[0]?.ready).toBe(false);
    expect(shortConditions(status ?? {})).toEqual(['Ready=False ContainersNotReady', 'ContainersReady=False ContainersNotReady']);
    expect(status?.conditions?.[0]?.lastTransitionTime).toBe('2026-01-01T00:00:05Z');
    manager.setContainerReadiness('u-1', 'containerd://app-0', false);
    expect(version()).toBe(2);
  });

  it('updates only `started`', () => {
    const { manager, version } = setUp();
    manager.setPodStatus(aPod(), ready);
    manager.setContainerStartup('u-1', 'containerd://app-0', true);
    expect(version()).toBe(1);
    manager.setContainerStartup('u-1', 'containerd://app-0', false);
    expect(manager.getPodStatus('u-1')?.containerStatuses?.[0]).toMatchObject({ started: false, ready: true });
    expect(shortConditions(manager.getPodStatus('u-1') ?? {})).toEqual(['Ready=True', 'ContainersReady=True']);
  });

  it('applies to sidecars, and adds missing conditions', () => {
    const pod = aPod({ initContainers: [aContainer('side', { restartPolicy: 'Always' })] });
    const { manager } = setUp([pod]);
    manager.setPodStatus(pod, {
      phase: 'Running',
      initContainerStatuses: [aStatus('side', running, { containerID: 'containerd://side' })],
    });
    manager.setContainerReadiness('u-1', 'containerd://side', true);
    expect(manager.getPodStatus('u-1')?.initContainerStatuses?.[0]?.ready).toBe(true);
    expect(shortConditions(manager.getPodStatus('u-1') ?? {})).toHaveLength(2);
  });

  it('is dropped for an unknown pod, one without status and an unknown container', () => {
    const { manager, log, notified } = setUp();
    manager.setContainerReadiness('unknown', 'containerd://app-0', true);
    manager.setContainerReadiness('u-1', 'containerd://app-0', true);
    manager.setPodStatus(aPod(), ready);
    manager.setContainerStartup('u-1', 'containerd://other', true);
    expect(log.mock.calls.map(([, message]) => message)).toEqual([
      'pod has been deleted, no need to update readiness',
      'container readiness changed before pod has synced',
      'container startup changed for unknown container',
    ]);
    expect(notified).toHaveLength(1);
  });
});

describe('the sandbox', () => {
  it('is reported at once, and only once', () => {
    const { manager, version } = setUp();
    const pod = aPod();
    manager.setPodStatus(pod, { phase: 'Pending', conditions: [{ type: 'PodReadyToStartContainers', status: 'False' }] });
    manager.setPodReadyToStartContainers(pod);
    manager.setPodReadyToStartContainers(pod);
    expect(version()).toBe(2);
    expect(manager.getPodStatus('u-1')?.conditions).toEqual([
      { type: 'PodReadyToStartContainers', status: 'True', observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]);
  });
});

describe('the termination of a pod', () => {
  it('terminates the remaining containers, and the pod stays finished', () => {
    const { manager, version } = setUp();
    manager.setPodStatus(aPod(), ready);
    manager.terminatePod(aPod());
    expect(manager.versionedStatus('u-1')).toMatchObject({
      version: 2,
      podIsFinished: true,
      status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 137 } } }] },
    });
    manager.setPodStatus(aPod(), { ...(manager.getPodStatus('u-1') ?? {}), message: 'more' });
    expect([version(), manager.versionedStatus('u-1')?.podIsFinished]).toEqual([3, true]);
    manager.terminatePod(aPod());
    expect(version()).toBe(4);
  });

  it('does not keep a static pod finished, because it may restart', () => {
    const pod = aPod({}, { metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } });
    const { manager } = setUp([pod]);
    manager.terminatePod(pod);
    manager.setPodStatus(pod, ready);
    expect(manager.versionedStatus('u-1')?.podIsFinished).toBe(false);
  });

  it('counts each terminated container', () => {
    const counted: MetricLabels[] = [];
    const metrics: Metrics = { ...noMetrics, counter: () => ({ inc: (labels) => counted.push(labels ?? {}) }) };
    const { manager } = setUp(undefined, { metrics });
    manager.setPodStatus(aPod(), { ...ready, initContainerStatuses: [aStatus('prepare', waiting)] });
    const ended = { ...ready, containerStatuses: [aStatus('app', exited(1))], initContainerStatuses: [aStatus('prepare', exited(0))] };
    manager.setPodStatus(aPod(), ended);
    manager.setPodStatus(aPod(), { ...ended, message: 'again' });
    expect(counted).toEqual([
      { container_type: 'init_container', exit_code: '0', reason: 'Completed' },
      { container_type: 'container', exit_code: '1', reason: 'Error' },
    ]);
  });

  it('forgets the statuses of unknown pods', () => {
    const { manager, notified } = setUp();
    for (const uid of ['u-1', 'u-2']) manager.setPodStatus(aPod({}, { metadata: { uid } }), ready);
    manager.removeOrphanedStatuses(new Set(['u-2']));
    manager.forgetPodStatus('never-seen');
    expect([...manager.versionedStatuses()].map(([uid]) => uid)).toEqual(['u-2']);
    expect(notified.at(-1)).toEqual(['u-1', undefined]);
  });
});

describe('listeners', () => {
  it('are isolated from each other’s errors, and can unsubscribe', () => {
    const { manager, log } = setUp();
    const received: string[] = [];
    manager.onStatus(() => {
      throw new Error('broken table');
    });
    const unsubscribe = manager.onStatus((uid) => received.push(uid));
    manager.setPodStatus(aPod(), ready);
    unsubscribe();
    manager.terminatePod(aPod());
    expect(received).toEqual(['u-1']);
    expect(log).toHaveBeenCalledWith({ err: new Error('broken table'), podUID: 'u-1' }, 'status listener failed');
  });
});

it('refuses options that do not implement their ports', () => {
  const pods = { podByUid: () => undefined, mirrorPodByPod: () => undefined, translatePodUid: (uid: string) => uid };
  const create = (options: object) => () => createStatusManager(options as StatusManagerOptions);
  const invalid = (field: string) => expect.objectContaining({ code: statusManagerErrorCodes.invalidOption, details: { field } });
  expect(create({ pods, clock: {} })).toThrow(invalid('clock'));
  expect(create({ clock: { now: () => 0 } })).toThrow(invalid('pods.podByUid'));
  expect(create({ clock: { now: () => 0 }, pods: { ...pods, translatePodUid: 1 } })).toThrow(invalid('pods.translatePodUid'));
});
