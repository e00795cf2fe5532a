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
  const news: [string, string | undefined][] = [];
  manager.onStatus((uid, status) => news.push([uid, status?.phase]));
  const version = (uid = 'u-1') => manager.versionedStatus(uid)?.version;
  return { manager, clock, log, news, version };
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
  it('stores it as version 1, with start and transition times, and tells of it', async () => {
    const { manager, clock, news } = setUp();
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
    expect(news).toEqual([['u-1', 'Running']]);
  });

  it('ignores what says nothing new, though times differ', async () => {
    const { manager, clock, news, version } = setUp();
    manager.setPodStatus(aPod(), ready);
    const stored = manager.getPodStatus('u-1');
    await clock.advance(60_000);
    manager.setPodStatus(aPod(), structuredClone(ready));
    expect([version(), news.length]).toEqual([1, 1]);
    expect(manager.getPodStatus('u-1')).toBe(stored);
  });

  it('keeps the first start time, the transition times, and when the first news came', async () => {
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

  it('refuses one that revives a container for good, with an error in the log', () => {
    const pod = aPod({ restartPolicy: 'Never' });
    const { manager, log, version } = setUp([pod]);
    manager.setPodStatus(pod, { phase: 'Running', containerStatuses: [aStatus('app', exited(0))] });
    manager.setPodStatus(pod, ready);
    expect([version(), log.mock.calls[0]?.[0].err.code]).toEqual([1, statusManagerErrorCodes.illegalTransition]);
  });

  it('makes a new version of the same while the pod is being deleted, so that it gets through', () => {
    const { manager, version } = setUp();
    const pod = aPod({}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    manager.setPodStatus(pod, ready);
    manager.setPodStatus(pod, ready);
    expect(version()).toBe(2);
  });

  it('does not change what it was given', () => {
    const { manager } = setUp();
    const given = Object.freeze({ ...ready, conditions: Object.freeze([...(ready.conditions ?? [])]) as typeof ready.conditions });
    manager.setPodStatus(aPod(), given);
    expect(given.conditions?.[0]).toEqual({ type: 'Ready', status: 'True' });
  });

  it('takes generated statuses: nothing new is no version, a change is one', () => {
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

describe('news of a container', () => {
  it('changes its readiness and the two conditions that follow from it', async () => {
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

  it('changes only whether it has started', () => {
    const { manager, version } = setUp();
    manager.setPodStatus(aPod(), ready);
    manager.setContainerStartup('u-1', 'containerd://app-0', true);
    expect(version()).toBe(1);
    manager.setContainerStartup('u-1', 'containerd://app-0', false);
    expect(manager.getPodStatus('u-1')?.containerStatuses?.[0]).toMatchObject({ started: false, ready: true });
    expect(shortConditions(manager.getPodStatus('u-1') ?? {})).toEqual(['Ready=True', 'ContainersReady=True']);
  });

  it('reaches sidecars, and adds conditions that are missing', () => {
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
    const { manager, log, news } = setUp();
    manager.setContainerReadiness('nobody', 'containerd://app-0', true);
    manager.setContainerReadiness('u-1', 'containerd://app-0', true);
    manager.setPodStatus(aPod(), ready);
    manager.setContainerStartup('u-1', 'containerd://other', true);
    expect(log.mock.calls.map(([, message]) => message)).toEqual([
      'pod has been deleted, no need to update readiness',
      'container readiness changed before pod has synced',
      'container startup changed for unknown container',
    ]);
    expect(news).toHaveLength(1);
  });
});

describe('the sandbox', () => {
  it('is told of at once, once', () => {
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

describe('the end of a pod', () => {
  it('terminates what is open and finishes the pod, for good', () => {
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

  it('does not keep a static pod finished, which may start anew', () => {
    const pod = aPod({}, { metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } });
    const { manager } = setUp([pod]);
    manager.terminatePod(pod);
    manager.setPodStatus(pod, ready);
    expect(manager.versionedStatus('u-1')?.podIsFinished).toBe(false);
  });

  it('counts each container that ends', () => {
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

  it('lets go of pods that are no longer known', () => {
    const { manager, news } = setUp();
    for (const uid of ['u-1', 'u-2']) manager.setPodStatus(aPod({}, { metadata: { uid } }), ready);
    manager.removeOrphanedStatuses(new Set(['u-2']));
    manager.forgetPodStatus('never-seen');
    expect([...manager.versionedStatuses()].map(([uid]) => uid)).toEqual(['u-2']);
    expect(news.at(-1)).toEqual(['u-1', undefined]);
  });
});

describe('listeners', () => {
  it('do not disturb each other or the manager when they throw, and can leave', () => {
    const { manager, log } = setUp();
    const heard: string[] = [];
    manager.onStatus(() => {
      throw new Error('broken table');
    });
    const leave = manager.onStatus((uid) => heard.push(uid));
    manager.setPodStatus(aPod(), ready);
    leave();
    manager.terminatePod(aPod());
    expect(heard).toEqual(['u-1']);
    expect(log).toHaveBeenCalledWith({ err: new Error('broken table'), podUID: 'u-1' }, 'status listener failed');
  });
});

it('refuses options that are no ports', () => {
  const pods = { podByUid: () => undefined, mirrorPodByPod: () => undefined, translatePodUid: (uid: string) => uid };
  const create = (options: object) => () => createStatusManager(options as StatusManagerOptions);
  const invalid = (field: string) => expect.objectContaining({ code: statusManagerErrorCodes.invalidOption, details: { field } });
  expect(create({ pods, clock: {} })).toThrow(invalid('clock'));
  expect(create({ clock: { now: () => 0 } })).toThrow(invalid('pods.podByUid'));
  expect(create({ clock: { now: () => 0 }, pods: { ...pods, translatePodUid: 1 } })).toThrow(invalid('pods.translatePodUid'));
});
